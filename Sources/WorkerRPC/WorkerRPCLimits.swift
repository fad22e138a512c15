/// The limits of the worker's RPC. Each side checks what it receives against its own limits.
package struct WorkerRPCLimits: Sendable {
    /// The most bytes in a message, except for shared memory.
    package var message: Int
    /// The most elements in a list.
    package var elements: Int
    /// The most nested calls, on both sides together.
    package var depth: Int
    /// The most bytes of shared memory in one message.
    package var shared: Int
    /// From this size on, bytes are sent as shared memory. Below it, copying through the socket is faster than
    /// making, passing and mapping a memory file, as the benchmark `bulk` shows.
    package var sharedThreshold: Int
    /// The number of bytes of rows that are collected before they are sent.
    package var batch: Int
    /// The nanoseconds after which collected rows are sent, while more arrive.
    package var batchAge: UInt64

    /// The default limits, which allow a list of a million books in one message, and books of a gigabyte.
    package init(
        message: Int = 2 << 30, elements: Int = 4 << 20, depth: Int = 64, shared: Int = 4 << 30,
        sharedThreshold: Int = 32 << 20, batch: Int = 64 << 10, batchAge: UInt64 = 10_000_000
    ) {
        self.message = message
        self.elements = elements
        self.depth = depth
        self.shared = shared
        self.sharedThreshold = sharedThreshold
        self.batch = batch
        self.batchAge = batchAge
    }
}
