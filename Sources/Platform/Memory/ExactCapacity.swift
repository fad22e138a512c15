extension Array {
    /// Gives up memory for further elements.
    ///
    /// An array that grows by appending may occupy twice as much, which counts in lists of a large library.
    package mutating func trim() {
        if capacity > count { self = map { $0 } }
    }
}

extension String {
    /// Creates a text from parts, with only the memory that it needs.
    ///
    /// A text that grows by appending may occupy twice as much, which counts in lists of a large library.
    package init(exactly parts: String...) {
        let count = parts.reduce(0) { $0 + $1.utf8.count }
        self.init(unsafeUninitializedCapacity: count) { memory in
            var place = 0
            for var part in parts {
                part.withUTF8 { bytes in
                    _ = memory[place...].initialize(fromContentsOf: bytes)
                    place += bytes.count
                }
            }
            return place
        }
    }
}
