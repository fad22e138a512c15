import ArgumentParser
import JSON
import OverlayHost

/// `prefs`: manages the preferences.
struct PrefsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prefs", abstract: "List and change the preferences.",
        subcommands: [List.self, Get.self, Set.self, Unset.self, Path.self])

    /// `prefs list`: shows every key with its value, default and meaning.
    struct List: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List every preference with its value and default.",
            usage: "overlayhost prefs list [<options>]")

        @OptionGroup var global: GlobalOptions<List>

        static let takes: Swift.Set<CommonOption> = [.plugins, .prefs, .inProcess]

        func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
            let found = try invocation.setup.overlaysForMending()
            let (values, rows) = (found.preferences, found.preferences.rows)
            invocation.setup.known?.keep(rows.map(\.key), .prefs, replacing: true)
            invocation.setup.known?.keep(
                rows.filter { $0.preference?.type == .bool }.map(\.key), .flags, replacing: true)
            let document = PreferenceDocument(overlays: found.descriptors)
            invocation.console.result(
                .document(["file": .string(values.file), "prefs": .array(rows.map(document.json))])
            ) {
                var table = TextTable(Self.columns)
                for group in document.groups(rows) {
                    table.begin(section: group.title)
                    for row in group.rows { table.add(Self.cells(row)) }
                }
                return table.render(width: invocation.console.width)
            }
            return rows.contains { $0.problem != nil } ? .configuration : .done
        }

        static let columns: [TextTable.Column] = [
            .init(title: "KEY", isKey: true), .init(title: "VALUE", minimum: 6),
            .init(title: "DEFAULT", minimum: 6), .init(title: "MEANING", minimum: 24, wraps: true),
        ]

        private static func meaning(_ row: PreferenceRow) -> String {
            (row.remarks + [row.preference?.meaning ?? "unknown to this version"]).joined(separator: " ")
        }

        private static func cells(_ row: PreferenceRow) -> [String] {
            [
                row.key, row.value?.text() ?? "-", row.preference?.fallback?.text() ?? "-",
                row.problem.map { "invalid: \($0)" } ?? meaning(row),
            ]
        }
    }

    /// `prefs get KEY`: shows a value.
    struct Get: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "get", abstract: "Print the value of a preference.",
            usage: "overlayhost prefs get <key> [<options>]")

        @Argument(help: "The name of the preference.", completion: .custom(KnownNames.keys)) var key: String
        @OptionGroup var global: GlobalOptions<Get>

        static let takes: Swift.Set<CommonOption> = [.plugins, .prefs, .inProcess]

        func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
            let found = try invocation.setup.overlaysForMending(for: key)
            let stored = try found.usingKey { () throws(HostError) in try found.preferences.value(key) }
            let value = stored ?? .null
            invocation.console.result(.document(["key": .string(key), "value": value])) {
                let text = value.string ?? value.text()
                return !invocation.console.isTerminal ? text : TerminalText.sanitized(text)
            }
            return .done
        }
    }

    /// `prefs set KEY VALUE`: checks the type of a value and stores it.
    struct Set: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Set a preference.",
            usage: "overlayhost prefs set <key> <value> [<options>]")

        @Argument(help: "The name of the preference.", completion: .custom(KnownNames.keys)) var key: String
        @Argument(
            help: "The value. Write lists and objects as JSON.", completion: .custom(KnownNames.values))
        var value: String
        @Flag(help: DryRun.help) var dryRun = false
        @OptionGroup var global: GlobalOptions<Set>

        static let takes: Swift.Set<CommonOption> = [.plugins, .prefs, .inProcess]

        func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
            var preferences = invocation.setup.preferences
            let found = try invocation.setup.overlaysForMending(for: key)
            preferences.schema = found.preferences.schema
            let stored = try found.usingKey { () throws(HostError) in
                try preferences.set(
                    key, to: value, relativeTo: HostPaths.workingDirectory, isDryRun: dryRun)
            }
            invocation.console.result(
                .document([
                    "key": .string(key), "value": stored, "dry_run": dryRun ? .bool(true) : nil,
                ])
            ) { dryRun ? "would be set  \(key)  \(TerminalText.sanitized(stored.text()))" : "" }
            for remark in preferences.schema[key]?.remarks(on: stored) ?? [] {
                let saved = dryRun ? "" : " The value was saved anyway."
                invocation.console.note("overlayhost: '\(key)': \(TerminalText.sanitized(remark))\(saved)")
            }
            if key == "plugin_directories" { try noteUnsearchable(stored, invocation) }
            if dryRun { DryRun.note(invocation.console) }
            return .done
        }

        /// Notes which of the folders just set cannot be searched.
        private func noteUnsearchable(_ folders: JSONValue, _ invocation: Invocation) throws(HostError) {
            let search = OverlayDiscovery(preferences: folders.strings ?? [], paths: invocation.setup.paths)
            for problem in search.discover().problems
            where folders.strings?.contains(problem.subject ?? "") == true {
                if !invocation.console.isQuiet { invocation.console.explain(problem) }
            }
        }
    }

    /// `prefs unset KEY`: resets a key to its default.
    struct Unset: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "unset", abstract: "Reset a preference to its default.",
            usage: "overlayhost prefs unset <key> [<options>]")

        @Argument(help: "The name of the preference.", completion: .custom(KnownNames.keys)) var key: String
        @Flag(help: DryRun.help) var dryRun = false
        @OptionGroup var global: GlobalOptions<Unset>

        static let takes: Swift.Set<CommonOption> = [.plugins, .prefs, .inProcess]

        func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
            var preferences = invocation.setup.preferences
            let found = try invocation.setup.overlaysForMending(for: key)
            preferences.schema = found.preferences.schema
            let removed = try found.usingKey { () throws(HostError) in
                try preferences.unset(key, isDryRun: dryRun)
            }
            invocation.console.result(
                .document([
                    "key": .string(key), "removed": .bool(removed), "dry_run": dryRun ? .bool(true) : nil,
                ])
            ) { dryRun && removed ? "would be unset  \(key)" : "" }
            if dryRun { DryRun.note(invocation.console) }
            return .done
        }
    }

    /// `prefs path`: shows the path of the file.
    struct Path: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "path", abstract: "Print the path of the preferences file.",
            usage: "overlayhost prefs path [<options>]")

        @OptionGroup var global: GlobalOptions<Path>

        static let takes: Swift.Set<CommonOption> = [.prefs]

        func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
            let file = invocation.setup.preferences.file
            invocation.console.result(.document(["path": .string(file)])) { file }
            return .done
        }
    }
}
