import OverlayABI

/// Reads text views of the ABI into Swift strings, with a bound on their size.
package enum BorrowedText {
    /// Why a text cannot be taken.
    package enum Problem: Error, Equatable {
        /// More bytes than the limit.
        case tooLong(bytes: UInt64, limit: Int)
        /// Not UTF-8.
        case invalidUTF8
    }

    /// The text, nil if absent.
    package static func strict(_ text: ovl_text, limit: Int) throws(Problem) -> String? {
        guard let data = text.data else { return nil }
        guard text.size <= UInt64(limit) else { throw .tooLong(bytes: text.size, limit: limit) }
        let bytes = UnsafeRawBufferPointer(start: data, count: Int(text.size))
        guard let string = String(validating: bytes, as: UTF8.self) else { throw .invalidUTF8 }
        return string
    }

    /// The text cut at `limit` bytes and with invalid UTF-8 replaced, nil if absent.
    package static func repaired(_ text: ovl_text, limit: Int) -> String? {
        guard let data = text.data else { return nil }
        let bytes = UnsafeRawBufferPointer(start: data, count: Int(min(text.size, UInt64(limit))))
        return String(decoding: bytes, as: UTF8.self)
    }
}
