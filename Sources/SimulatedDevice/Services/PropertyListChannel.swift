import DeviceWire
import PropertyLists

/// Exchanges property lists over a service's connection.
struct PropertyListChannel {
    let stream: any ServiceStream

    /// The next request; nil if the client has closed the connection.
    func receive() throws -> PropertyList? {
        guard let header = try stream.read(exactly: PropertyListFrame.headerSize) else { return nil }
        guard let body = try stream.read(exactly: try PropertyListFrame.length(header)) else { return nil }
        return try PropertyList(parsing: body)
    }

    func send(_ list: PropertyList) throws {
        try stream.write(try PropertyListFrame.encode(list))
    }
}
