/// The limits of the worker's RPC: how much one message may hold. Each side checks what it receives against its own limits.
package struct WorkerRPCLimits: Sendable {
    /// Bytes of a message beside what travels as shared memory.
    package var message: Int
    /// Elements of one list.
    package var elements: Int
    /// Calls that wait for each other, on both sides together.
    package var depth: Int
    /// Bytes of all shared memory of one message.
    package var shared: Int
    /// From how many bytes on a value of bytes travels as shared memory. Below, copying it through the socket is faster than
    /// making, passing and mapping a memory file, as the benchmark `bulk` shows.
    package var sharedThreshold: Int
    /// Bytes of rows that are gathered before they travel.
    package var batch: Int
    /// Nanoseconds after which rows travel again, while rows keep coming.
    package var batchAge: UInt64

    /// The usual limits: a list of a million books in one message, books of a gigabyte.
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
