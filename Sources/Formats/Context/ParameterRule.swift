/// A light rule that asks for parameters besides a type.
struct ParameterRule: Sendable {
    /// The bit of the rule.
    let rule: UInt64
    private let wanted: [(name: [UInt8], value: [UInt8])]

    /// The rule of a type whose values are compared as they are written; `charset` is not among the parameters of any rule.
    init(_ type: MediaType, _ rule: UInt64) {
        self.rule = rule
        wanted = type.sortedParameters.map { (Array($0.name.utf8), Array($0.value.utf8)) }
    }

    /// Whether a hint has all the parameters, each with its value where the name is first used, without making texts of them.
    func isSatisfied(by hint: UnsafeBufferPointer<UInt8>) -> Bool {
        var scanner = HeaderScanner(hint)
        var seen: UInt64 = 0
        while let parameter = scanner.nextRawParameter() {
            for place in wanted.indices
            where seen & 1 << UInt64(place) == 0 && parameter.isNamed(wanted[place].name) {
                guard parameter.isValue(wanted[place].value) else { return false }
                seen |= 1 << UInt64(place)
            }
        }
        return seen.nonzeroBitCount == wanted.count
    }
}
