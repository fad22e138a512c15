/// Remarks for the log: each of the first ones, and of the others how many there are.
struct LibraryRemarks: Equatable {
    private static let most = 100
    private var first: [String] = []
    private var others = 0

    mutating func add(_ remark: String) {
        if first.count < Self.most { first.append(remark) } else { others += 1 }
    }

    /// All that is to be said.
    var texts: [String] {
        others == 0 ? first : first + ["\(others) more problems in the library are not shown."]
    }
}
