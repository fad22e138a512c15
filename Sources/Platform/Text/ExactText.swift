import Glibc

/// A text that is compared by its bytes, as devices, XML and JSON do. Swift's `==` also treats different spellings of
/// the same characters as equal.
package struct ExactText: Sendable, Hashable {
    /// The text.
    package let text: String

    /// Wraps a text.
    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        let isSame = left.text.utf8.withContiguousStorageIfAvailable { own in
            right.text.utf8.withContiguousStorageIfAvailable { other in
                guard own.count == other.count else { return false }
                // The buffer of an empty text may have no address.
                guard let start = own.baseAddress, let second = other.baseAddress else { return true }
                return memcmp(start, second, own.count) == 0
            }
        }
        return (isSame ?? nil) ?? left.text.utf8.elementsEqual(right.text.utf8)
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
