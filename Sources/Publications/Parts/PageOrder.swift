/// Sorts pages as readers expect: numbers within names by their value, letters regardless of case.
enum PageOrder {
    /// The sort key of a path. Create it once for each path.
    struct Key: Comparable {
        /// A run of digits or of other characters.
        private enum Piece: Comparable {
            /// Digits without leading zeros, so that a shorter run is the smaller number.
            case number([UInt8])
            case text([UInt8])

            static func < (left: Piece, right: Piece) -> Bool {
                switch (left, right) {
                case (.number(let left), .number(let right)):
                    left.count != right.count
                        ? left.count < right.count : left.lexicographicallyPrecedes(right)
                case (.text(let left), .text(let right)): left.lexicographicallyPrecedes(right)
                case (.number, .text): true
                case (.text, .number): false
                }
            }
        }

        private let pieces: [[Piece]]
        private let path: String

        init(_ path: String) {
            self.path = path
            pieces = path.lowercased().utf8.split(separator: UInt8(ascii: "/")).map(Key.pieces)
        }

        private static func pieces(of segment: Substring.UTF8View) -> [Piece] {
            var pieces: [Piece] = []
            var rest = segment[...]
            let isDigit: (UInt8) -> Bool = { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            while let first = rest.first {
                let isNumber = isDigit(first)
                let run = rest.prefix { isDigit($0) == isNumber }
                rest = rest[run.endIndex...]
                pieces.append(
                    isNumber ? .number(Array(run.drop { $0 == UInt8(ascii: "0") })) : .text(Array(run)))
            }
            return pieces
        }

        static func == (left: Key, right: Key) -> Bool { left.path == right.path }

        static func < (left: Key, right: Key) -> Bool {
            for (one, other) in zip(left.pieces, right.pieces) where one != other {
                return one.lexicographicallyPrecedes(other)
            }
            // A file comes before the folders next to it. Names that differ only in leading zeros or case are ordered
            // by their bytes.
            return left.pieces.count != right.pieces.count
                ? left.pieces.count < right.pieces.count
                : left.path.utf8.lexicographicallyPrecedes(right.path.utf8)
        }
    }
}
