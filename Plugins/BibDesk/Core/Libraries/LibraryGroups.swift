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
    }

    /// The stored groups in the order of the file, then those by keyword, then those by author.
    let groups: [Group]

    /// The names of the static and smart groups of each entry.
    let namesByEntry: [Int: [String]]

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
                groups.append(Group(name: group.name, kind: .smart, entries: smart.entries(of: group) ?? []))
            case .url: groups.append(Group(name: group.name, kind: .url, entries: []))
            case .script: groups.append(Group(name: group.name, kind: .script, entries: []))
            }
        }
        var names: [Int: [String]] = [:]
        for group in groups {
            for entry in group.entries where names[entry]?.contains(group.name) != true {
                names[entry, default: []].append(group.name)
            }
        }
        namesByEntry = names
        let categories = CategoryGroups(resolved, kinds: kinds)
        for (field, kind) in [("keywords", BookCollection.Kind.keyword), ("author", .author)] {
            groups += categories.groups(field).map { Group(name: $0.name, kind: kind, entries: $0.entries) }
        }
        self.groups = groups
    }
}
