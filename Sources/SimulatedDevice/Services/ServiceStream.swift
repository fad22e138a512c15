/// One connection to a service of the simulated device, as the service sees it.
///
/// Calls block. Reading and writing belong to the one thread that serves the connection; `close` may come from any
/// thread and ends a blocked call.
package protocol ServiceStream: AnyObject, Sendable {
    /// The next `count` bytes, or nil when the client closed the connection before the first of them.
    ///
    /// A connection that ends inside the bytes asked for throws.
    func read(exactly count: Int) throws -> [UInt8]?

    /// Sends all of `bytes` in one write, so that a client which takes a header with one receive gets it whole.
    func write(_ bytes: [UInt8]) throws

    /// Ends the connection in both directions; a second call does nothing.
    func close()

    /// Lets `duration` pass; throws at once when the connection ends meanwhile.
    func pause(_ duration: Duration) throws
}
