import BibTeX

/// Selects the references whose papers the user wants on the device: those in one of some groups, or with one of some
/// fields set to yes. Without rules, all papers are wanted.
struct PaperRules: Sendable {
    /// The references that the rules select in a library.
    struct Choice: Equatable, Sendable {
        /// The selected entries.
        var entries: Set<Int> = []
        /// The groups that the library does not have, or whose conditions cannot be evaluated. They select nothing,
        /// and nothing may be removed because of them.
        var unknownGroups: [String] = []
    }

    /// The names of groups of any kind.
    let groups: [String]
    /// The names of fields.
    let fields: [String]
    /// The types of fields.
    let kinds: FieldKinds

    /// Whether there are rules.
    var areSet: Bool { !groups.isEmpty || !fields.isEmpty }

    /// The references that the rules select in a library.
    ///
    /// - Parameter clock: the time for conditions on dates.
    func choice(of library: ReferenceLibrary, clock: GroupClock) -> Choice {
        guard areSet else {
            return Choice(entries: Set(library.resolved.entries))
        }
        var choice = Choice()
        let known = groups.isEmpty ? [] : LibraryGroups(library, kinds: kinds, clock: clock).all()
        for name in groups {
            let named = known.filter { $0.name == name }
            if named.isEmpty || named.contains(where: { !$0.isKnown }) { choice.unknownGroups.append(name) }
            for group in named { choice.entries.formUnion(group.entries) }
        }
        for entry in library.resolved.entries
        where fields.contains(where: {
            FieldKinds.isTrue(TeXText.plain(library.resolved.text($0, of: entry, inherits: false)))
        }) {
            choice.entries.insert(entry)
        }
        return choice
    }
}
