/// The names READ_DIR answers, checked: a name that could lead elsewhere is never among them.
package struct AFCDirectoryListing: Hashable, Sendable {
    /// A name that was left out, with the reason, so that a caller can tell.
    package struct Rejection: Hashable, Sendable {
        /// Why a name was left out.
        package enum Reason: Hashable, Sendable {
            /// The name has no bytes.
            case empty
            /// The name holds a slash.
            case slash
            /// The name is not UTF-8, and so cannot be named in a request.
            case notUTF8
        }

        /// The name as it arrived.
        package var bytes: [UInt8]
        /// Why it was left out.
        package var reason: Reason

        /// Describes a name that was left out.
        package init(bytes: [UInt8], reason: Reason) {
            self.bytes = bytes
            self.reason = reason
        }
    }

    /// Names in the order of the reply, without `.` and `..`.
    package var names: [String]
    /// What was left out, `.` and `..` not counted.
    package var rejected: [Rejection]

    /// Takes names that need no check.
    package init(names: [String], rejected: [Rejection] = []) {
        self.names = names
        self.rejected = rejected
    }

    /// Reads the payload of the reply; no bytes at all are an empty folder. The last NUL may be missing.
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

    /// The payload of the reply for the given names (bytes without NUL), with `.` and `..` before them as devices send them.
    package static func encode(_ names: some Sequence<[UInt8]>) -> [UInt8] {
        var bytes: [UInt8] = [0x2E, 0, 0x2E, 0x2E, 0]
        for name in names {
            bytes.append(contentsOf: name)
            bytes.append(0)
        }
        return bytes
    }
}
