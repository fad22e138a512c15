import BibTeX
import OverlayKit

/// The groups of one library with their entries: the stored groups, and groups by keyword and author.
struct LibraryGroups: Sendable {
    /// One group.
    struct Group: Sendable {
        /// Its name.
        let name: String
        /// What determines its members.
        let kind: BookCollection.Kind
        /// Its entries in the order of the library. Empty if its conditions cannot be evaluated, or if it depends on
        /// a URL or a script.
        let entries: [Int]
        /// Whether its entries are known. They are not if its conditions cannot be evaluated or its entries come from
        /// elsewhere.
        var isKnown = true
    }

    /// The groups that the file stores, in file order.
    let stored: [Group]

    /// The names of the static and smart groups of each entry. If groups of both kinds have a name, the name means
    /// the static group, because the user can change it.
    let namesByEntry: [Int: [String]]

    private let categories: CategoryGroups

    /// The groups of a library.
    ///
    /// - Parameters:
    ///   - kinds: the types of fields.
    ///   - clock: the time for conditions on dates.
    init(_ library: ReferenceLibrary, kinds: FieldKinds, clock: GroupClock) {
        let resolved = library.resolved
        let smart = SmartGroups(resolved, kinds: kinds, clock: clock)
        var groups: [Group] = []
        for group in library.document.groups {
            switch group.kind {
            case .fixed:
                let members = Set(group.keys.flatMap { resolved.entries($0) })
                groups.append(Group(name: group.name, kind: .fixed, entries: members.sorted()))
            case .smart:
                let members = smart.entries(of: group)
                groups.append(
                    Group(name: group.name, kind: .smart, entries: members ?? [], isKnown: members != nil))
            case .url: groups.append(Group(name: group.name, kind: .url, entries: [], isKnown: false))
            case .script: groups.append(Group(name: group.name, kind: .script, entries: [], isKnown: false))
            }
        }
        var names: [Int: [String]] = [:]
        let fixed = Set(groups.filter { $0.kind == .fixed }.map(\.name))
        for group in groups where group.kind == .fixed || !fixed.contains(group.name) {
            for entry in group.entries where names[entry]?.contains(group.name) != true {
                names[entry, default: []].append(group.name)
            }
        }
        namesByEntry = names
        stored = groups
        categories = CategoryGroups(resolved, kinds: kinds)
    }

    /// All groups: the stored ones, then those by keyword, then those by author.
    func all() -> [Group] {
        let fields = [("keywords", BookCollection.Kind.keyword), ("author", .author)]
        return stored
            + fields.flatMap { field, kind in
                categories.groups(field).map { Group(name: $0.name, kind: kind, entries: $0.entries) }
            }
    }
}
