import PropertyLists

/// A property list preceded by its length, the format of lockdownd and related services: a big-endian 32-bit number
/// of bytes, then the list.
package enum PropertyListFrame {
    package static let headerSize = 4
    /// The longest list that is accepted from a host, in bytes.
    package static let longestRequest = 1 << 20

    /// The length in the four bytes of a header. It is within `1...limit`.
    package static func length(
        _ header: some Collection<UInt8>, limit: Int = longestRequest
    ) throws(WireError) -> Int {
        guard header.count == headerSize else {
            throw WireError(.badLength, "The length of a message has 4 bytes, not \(header.count).")
        }
        let length = header.reduce(0) { $0 << 8 | Int($1) }
        guard length >= 1, length <= limit else {
            throw WireError(.badLength, "A message of \(length) bytes is outside the limits.")
        }
        return length
    }

    /// Removes and decodes the first list in `bytes`; nil if more bytes are needed.
    package static func decode(
        _ bytes: inout ArraySlice<UInt8>, limit: Int = longestRequest
    ) throws(WireError) -> PropertyList? {
        guard bytes.count >= headerSize else { return nil }
        let length = try length(bytes.prefix(headerSize), limit: limit)
        guard bytes.count >= headerSize + length else { return nil }
        let list: PropertyList
        do throws(PropertyListError) {
            list = try PropertyList(parsing: bytes.dropFirst(headerSize).prefix(length))
        } catch {
            throw WireError(error)
        }
        bytes = bytes.dropFirst(headerSize + length)
        return list
    }

    /// Encodes the length and the list in one piece, because clients receive the length with a single call.
    package static func encode(
        _ list: PropertyList, as form: PropertyList.Form = .xml
    ) throws(WireError) -> [UInt8] {
        let body: [UInt8]
        do throws(PropertyListError) { body = try list.encoded(form) } catch { throw WireError(error) }
        guard let length = UInt32(exactly: body.count) else {
            throw WireError(.badLength, "A message of \(body.count) bytes is too long.")
        }
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + body
    }
}
