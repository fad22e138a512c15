/// Evaluates the conditions of smart groups.
///
/// If one condition of a group cannot be evaluated, the group's members are unknown: the group selects nothing, and
/// nothing may be removed because of it.
public struct SmartGroups: Sendable {
    private let library: BibTeXLibrary
    private let categories: CategoryGroups
    private let kinds: FieldKinds
    private let clock: GroupClock

    /// A parsed condition, which is used for all entries.
    private enum Test {
        case everything
        case text(key: String, comparison: Int, value: String)
        case moment(key: String, interval: Interval)
        case count(isFile: Bool, comparison: Int, number: Int)
        case link(isFile: Bool, comparison: Int, value: String)
    }

    /// The smart groups of a library at a moment.
    public init(_ library: BibTeXLibrary, kinds: FieldKinds = FieldKinds(), clock: GroupClock) {
        self.library = library
        self.kinds = kinds
        self.clock = clock
        categories = CategoryGroups(library, kinds: kinds)
    }

    /// The entries in a group, in order; nil if a condition cannot be evaluated.
    public func entries(of group: BibTeXGroup) -> [Int]? {
        guard group.kind == .smart else { return nil }
        // Without conditions, every entry matches.
        var tests: [Test] = []
        for condition in group.conditions {
            guard let test = test(condition) else { return nil }
            tests.append(test)
        }
        guard !tests.isEmpty else { return library.entries }
        return library.entries.filter { entry in
            group.needsOneCondition
                ? tests.contains { matches(entry, $0) } : tests.allSatisfy { matches(entry, $0) }
        }
    }

    private func test(_ condition: SmartCondition) -> Test? {
        let key = condition.key.lowercased()
        if key.isEmpty { return .everything }
        guard let comparison = condition.comparison else { return nil }
        switch key {
        case "date-added", "date-modified":
            guard condition.version >= 1, let interval = interval(comparison, condition.value) else {
                return nil
            }
            return .moment(key: key, interval: interval)
        case "local file", "remote url":
            let isFile = key == "local file"
            if (4...7).contains(comparison) {
                return .link(
                    isFile: isFile, comparison: comparison, value: TextFolding.caseless(condition.value))
            }
            guard (0...3).contains(comparison), let number = Int(TextFolding.trimmed(condition.value)) else {
                return nil
            }
            return .count(isFile: isFile, comparison: comparison, number: number)
        default:
            guard (0...9).contains(comparison) else { return nil }
            return .text(key: key, comparison: comparison, value: condition.value)
        }
    }

    private func matches(_ entry: Int, _ test: Test) -> Bool {
        switch test {
        case .everything: return true
        case .text(let key, let comparison, let value): return matches(entry, key, comparison, value)
        case .moment(let key, let interval):
            // A missing date is not in any interval.
            return library.moment(key, of: entry).map { interval.contains($0.seconds) } ?? false
        case .count(let isFile, let comparison, let number):
            let count =
                isFile ? library.block(entry).linkedFileFields.count : library.linkedURLs(of: entry).count
            switch comparison {
            case 0: return count == number
            case 1: return count != number
            case 2: return count > number
            default: return count < number
            }
        case .link(let isFile, let comparison, let wanted):
            let links =
                isFile ? library.block(entry).linkedPaths : library.linkedURLs(of: entry)
            return Self.matches(links.map(TextFolding.caseless), comparison, wanted)
        }
    }

    /// Whether any of several texts satisfies a comparison. An empty search text matches nothing.
    private static func matches(_ texts: [String], _ comparison: Int, _ wanted: String) -> Bool {
        switch comparison {
        case 4, 5: (!wanted.isEmpty && texts.contains { $0.contains(wanted) }) == (comparison == 4)
        case 6: !wanted.isEmpty && texts.contains { $0.hasPrefix(wanted) }
        default: !wanted.isEmpty && texts.contains { $0.hasSuffix(wanted) }
        }
    }

    // MARK: texts

    /// Separates the values of an entry when all fields are searched.
    private static let separator = "\u{1E}"

    private func matches(_ entry: Int, _ key: String, _ comparison: Int, _ value: String) -> Bool {
        let isAnyField = key == "any field" || key == "allfields"
        if comparison < 2 {
            let isIn =
                isAnyField
                ? categories.contains(entry, value) : categories.contains(entry, value, by: key)
            return isIn == (comparison == 0)
        }
        let text = TextFolding.caseless(isAnyField ? allText(entry) : itemText(key, entry))
        let wanted = TextFolding.caseless(value)
        switch comparison {
        // An empty search text matches nothing.
        case 2: return !wanted.isEmpty && text.contains(wanted)
        case 3: return wanted.isEmpty || !text.contains(wanted)
        case 4, 5:
            let isEqual =
                isAnyField ? text.contains(Self.separator + wanted + Self.separator) : text == wanted
            return isEqual == (comparison == 4)
        case 6:
            guard !wanted.isEmpty else { return false }
            return isAnyField ? text.contains(Self.separator + wanted) : text.hasPrefix(wanted)
        case 7:
            guard !wanted.isEmpty else { return false }
            return isAnyField ? text.contains(wanted + Self.separator) : text.hasSuffix(wanted)
        case 8: return NumericOrder.isBefore(text, wanted)
        default: return NumericOrder.isBefore(wanted, text)
        }
    }

    private func itemText(_ key: String, _ entry: Int) -> String {
        if key == "bibtex type" { return library.block(entry).type }
        if key == "cite key" { return library.block(entry).key ?? "" }
        // BibDesk does not inherit marks and citations from a parent.
        let text = library.text(key, of: entry, inherits: kinds.isInherited(key))
        if kinds.boolean.contains(key) { return FieldKinds.isTrue(text) ? "1" : "0" }
        if kinds.triState.contains(key) {
            if FieldKinds.isTrue(text) { return "1" }
            return ["", "0", "n", "no", "non"].contains(text.lowercased()) ? "0" : "-"
        }
        if kinds.rating.contains(key) { return "\(max(0, Int(TextFolding.trimmed(text)) ?? 0))" }
        return text
    }

    /// The key and all texts of an entry and its parent, separated.
    private func allText(_ entry: Int) -> String {
        let block = library.block(entry)
        var names = Set(block.fields.map(block.name))
        if let parent = library.parent(entry) {
            names.formUnion(library.block(parent).fields.map(library.block(parent).name))
        }
        let links: Set<String> = ["url", "doi", "citeseerurl", "local-url"]
        let texts = names.sorted().filter {
            !kinds.hasNoText($0) && !links.contains($0) && !$0.hasPrefix("bdsk-")
        }
        .map { library.text($0, of: entry, inherits: kinds.isInherited($0)) }.filter { !$0.isEmpty }
        return ([""] + [block.key ?? ""] + texts + [""]).joined(separator: Self.separator)
    }

    // MARK: dates

    /// The half-open interval of moments that satisfy a condition on dates. A nil bound is open.
    private struct Interval {
        /// The first moment in the interval.
        let start: Int64?
        /// The first moment after the interval.
        let end: Int64?

        init(_ start: Int64?, _ end: Int64?) {
            self.start = start
            self.end = end
        }

        func contains(_ moment: Int64) -> Bool {
            if let start, moment < start { return false }
            if let end, moment >= end { return false }
            return true
        }
    }

    /// The interval of a comparison and its value; nil if one of them cannot be read.
    private func interval(_ comparison: Int, _ value: String) -> Interval? {
        func at(_ period: GroupClock.Period, _ count: Int) -> Int64 {
            clock.start(of: period, movedBy: count)
        }
        switch comparison {
        case 0: return Interval(at(.day, 0), nil)
        case 1: return Interval(at(.day, -1), at(.day, 0))
        case 2: return Interval(at(.week, 0), nil)
        case 3: return Interval(at(.week, -1), at(.week, 0))
        case 4, 5, 6:
            guard let (numbers, period) = Self.amounts(value, 1) else { return nil }
            let inner = at(period, 1 - numbers[0])
            if comparison == 4 { return Interval(at(period, -numbers[0]), inner) }
            return comparison == 5 ? Interval(inner, nil) : Interval(nil, inner)
        case 7:
            guard let (numbers, period) = Self.amounts(value, 2) else { return nil }
            return Interval(
                at(period, -max(numbers[0], numbers[1])), at(period, 1 - min(numbers[0], numbers[1])))
        case 8, 9, 10:
            guard let moment = BibTeXMoment(value) else { return nil }
            let day = clock.day(of: moment.seconds)
            let (start, end) = (clock.start(ofDay: day), clock.start(ofDay: day + 1))
            if comparison == 8 { return Interval(start, end) }
            return comparison == 9 ? Interval(end, nil) : Interval(nil, start)
        case 11:
            let parts = value.split(separator: " to ", omittingEmptySubsequences: false).map {
                BibTeXMoment(String($0))
            }
            guard parts.count == 2, let first = parts[0], let last = parts[1] else { return nil }
            return Interval(
                clock.start(ofDay: clock.day(of: first.seconds)),
                clock.start(ofDay: clock.day(of: last.seconds) + 1))
        default: return nil
        }
    }

    /// A number of amounts and a period, such as `3 2` for three weeks.
    private static func amounts(_ value: String, _ count: Int) -> ([Int], GroupClock.Period)? {
        let words = value.split(separator: " ")
        let numbers = words.compactMap { Int($0) }
        guard numbers.count == count + 1, words.count == numbers.count,
            let period = GroupClock.Period(rawValue: numbers[count]),
            numbers.allSatisfy({ abs(Double($0)) <= 100_000 })
        else { return nil }
        return (Array(numbers.prefix(count)), period)
    }
}

/// Orders texts with numbers by their value: `2` before `10`.
enum NumericOrder {
    static func isBefore(_ left: String, _ right: String) -> Bool {
        var left = Substring(left)
        var right = Substring(right)
        while let one = left.first, let other = right.first {
            let digits = left.prefix { $0.isASCII && $0.isNumber }
            let otherDigits = right.prefix { $0.isASCII && $0.isNumber }
            if !digits.isEmpty, !otherDigits.isEmpty {
                let number = digits.drop { $0 == "0" }
                let otherNumber = otherDigits.drop { $0 == "0" }
                if number.count != otherNumber.count { return number.count < otherNumber.count }
                if number != otherNumber { return number < otherNumber }
                left = left.dropFirst(digits.count)
                right = right.dropFirst(otherDigits.count)
            } else {
                if one != other { return one < other }
                left = left.dropFirst()
                right = right.dropFirst()
            }
        }
        return left.isEmpty && !right.isEmpty
    }
}
