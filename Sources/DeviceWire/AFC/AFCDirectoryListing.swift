/// The validated names in a reply to READ_DIR. It never contains a name that could refer to another folder.
package struct AFCDirectoryListing: Hashable, Sendable {
    /// A name that was left out, with the reason, so that a caller can report it.
    package struct Rejection: Hashable, Sendable {
        /// The reason why a name was left out.
        package enum Reason: Hashable, Sendable {
            /// The name is empty.
            case empty
            /// The name contains a slash.
            case slash
            /// The name is not UTF-8, so it cannot be used in a request.
            case notUTF8
        }

        /// The bytes of the name as received.
        package var bytes: [UInt8]
        /// The reason why it was left out.
        package var reason: Reason

        /// Creates the description of a name that was left out.
        package init(bytes: [UInt8], reason: Reason) {
            self.bytes = bytes
            self.reason = reason
        }
    }

    /// The names in the order of the reply, without `.` and `..`.
    package var names: [String]
    /// The names that were left out, not counting `.` and `..`.
    package var rejected: [Rejection]

    /// Parses the payload of the reply. An empty payload is an empty folder. The last NUL may be missing.
    package init(decoding bytes: [UInt8]) {
        names = []
        rejected = []
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let end = bytes[start...].firstIndex(of: 0) ?? bytes.endIndex
            take(bytes[start..<end])
            start = end < bytes.endIndex ? end + 1 : end
        }
    }

    private mutating func take(_ name: ArraySlice<UInt8>) {
        if name.isEmpty {
            rejected.append(Rejection(bytes: [], reason: .empty))
        } else if name.contains(UInt8(ascii: "/")) {
            rejected.append(Rejection(bytes: Array(name), reason: .slash))
        } else if let text = String(validating: name, as: UTF8.self) {
            if text != "." && text != ".." { names.append(text) }
        } else {
            rejected.append(Rejection(bytes: Array(name), reason: .notUTF8))
        }
    }

    /// Encodes the payload of the reply for the given names (bytes without NUL), preceded by `.` and `..` as devices
    /// send them.
    package static func encode(_ names: some Sequence<[UInt8]>) -> [UInt8] {
        var bytes: [UInt8] = [0x2E, 0, 0x2E, 0x2E, 0]
        for name in names {
            bytes.append(contentsOf: name)
            bytes.append(0)
        }
        return bytes
    }
}
