import Glibc

/// A text that is compared by its bytes, as devices, XML and JSON do. Swift's `==` also treats different spellings of
/// the same characters as equal.
package struct ExactText: Sendable, Hashable {
    /// The text.
    package let text: String

    /// Wraps a text.
    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        let (left, right) = (left.text.utf8, right.text.utf8)
        guard left.count == right.count else { return false }
        let isSame = left.withContiguousStorageIfAvailable { left in
            right.withContiguousStorageIfAvailable { right in
                // The buffer of an empty text may have no address.
                guard let start = left.baseAddress, let other = right.baseAddress else { return true }
                return memcmp(start, other, left.count) == 0
            }
        }
        return (isSame ?? nil) ?? left.elementsEqual(right)
    }

    package func hash(into hasher: inout Hasher) {
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        if isDone == nil { Array(text.utf8).withUnsafeBytes { hasher.combine(bytes: $0) } }
    }
}

extension ExactText: Comparable {
    /// Orders texts by their bytes.
    package static func < (left: ExactText, right: ExactText) -> Bool {
        let (left, right) = (left.text.utf8, right.text.utf8)
        let order = left.withContiguousStorageIfAvailable { left in
            right.withContiguousStorageIfAvailable { right in
                // The buffer of an empty text may have no address.
                guard let start = left.baseAddress, let other = right.baseAddress else {
                    return left.count - right.count
                }
                let order = Int(memcmp(start, other, min(left.count, right.count)))
                return order == 0 ? left.count - right.count : order
            }
        }
        return (order ?? nil).map { $0 < 0 } ?? left.lexicographicallyPrecedes(right)
    }
}
