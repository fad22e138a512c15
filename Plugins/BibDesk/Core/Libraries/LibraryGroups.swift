import BibTeX
import OverlayKit

/// The groups of one library with their entries: those that its file stores, and those by keyword and author.
struct LibraryGroups: Sendable {
    /// One group.
    struct Group: Sendable {
        /// Its name.
        let name: String
        /// What decides which entries are in it.
        let kind: BookCollection.Kind
        /// Its entries in the order of the library. None if conditions cannot be evaluated, or nothing may be fetched or run.
        let entries: [Int]
        /// Whether its entries are known: not those of conditions that cannot be evaluated, and of groups from elsewhere.
        var isKnown = true
    }

    /// The groups that the file stores, in its order.
    let stored: [Group]

    /// The names of the static and smart groups of each entry.
    let namesByEntry: [Int: [String]]

    private let categories: CategoryGroups

    /// The groups of a library.
    ///
    /// - Parameters:
    ///   - kinds: what fields hold.
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
        for group in groups {
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
