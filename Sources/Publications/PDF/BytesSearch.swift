import Glibc

/// Searches bytes for ASCII words.
extension [UInt8] {
    /// The first occurrence of the word at or after `start`.
    func firstRange(of word: StaticString, from start: Int = 0) -> Range<Int>? {
        let length = word.utf8CodeUnitCount
        guard start >= 0, length > 0, length <= count - Swift.min(start, count) else { return nil }
        return withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return nil }
            let letters = UnsafeBufferPointer(start: word.utf8Start, count: length)
            // Searches for the last letter first: in the words used here, it is rarer than the first.
            var end = start + length - 1
            while end < bytes.count,
                let found = memchr(base + end, Int32(letters[length - 1]), bytes.count - end)
            {
                end = UnsafeRawPointer(found) - UnsafeRawPointer(base)
                let first = end - length + 1
                if memcmp(base + first, word.utf8Start, length) == 0 { return first..<end + 1 }
                end += 1
            }
            return nil
        }
    }

    /// The last occurrence of the word.
    func lastRange(of word: StaticString) -> Range<Int>? {
        let length = word.utf8CodeUnitCount
        guard length > 0, count >= length else { return nil }
        let first = word.utf8Start[0]
        var index = count - length
        while index >= 0 {
            if self[index] == first, (0..<length).allSatisfy({ self[index + $0] == word.utf8Start[$0] }) {
                return index..<index + length
            }
            index -= 1
        }
        return nil
    }
}
