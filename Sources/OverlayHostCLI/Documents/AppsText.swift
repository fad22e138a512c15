import OverlayHost

/// The reader apps of a device for a person: a table, and below it once what several apps have in common.
struct AppsText {
    private let apps: [ReaderAppSurvey.App]
    private let overlays: [OverlayDescriptor]

    /// - Parameter overlays: which the apps name by their ids.
    init(_ apps: [ReaderAppSurvey.App], overlays: [OverlayDescriptor]) {
        (self.apps, self.overlays) = (apps, overlays)
    }

    static let columns: [TextTable.Column] = [
        .init(title: "APP", minimum: 8), .init(title: "VERSION", minimum: 7),
        .init(title: "OVERLAY", minimum: 8), .init(title: "ACCESS", minimum: 20),
        .init(title: "BUNDLE ID", isKey: true),
    ]

    /// The text; on a terminal `width` cells wide lines are broken.
    func render(width: Int?) -> String {
        guard !apps.isEmpty else { return "No reader app that an overlay serves is on the device." }
        var table = TextTable(Self.columns)
        for app in apps {
            table.add([
                app.name, app.version ?? "-", overlays.first { $0.id == app.overlay }?.name ?? app.overlay,
                app.access.isEmpty ? "none" : app.access.joined(separator: ", "),
                app.bundleID,
            ])
        }
        let lines = obstacles.flatMap { self.lines($0, width) }
        return ([table.render(width: width)] + (lines.isEmpty ? [] : ["", "Not possible:"]) + lines)
            .joined(separator: "\n")
    }

    /// What some apps do not allow, for one reason.
    private struct Obstacle {
        var apps: [String]
        var kind = ""
        var what: String
        var reason: String
        var hint: String?
    }

    /// What cannot be done with apps, then what of them cannot be reached.
    private var obstacles: [Obstacle] {
        joined(
            apps.flatMap { app in
                app.missing.map {
                    Obstacle(apps: [app.name], what: $0.ability, reason: $0.reason, hint: $0.hint)
                }
            })
            + joined(
                apps.flatMap { app in
                    app.refused.map {
                        Obstacle(
                            apps: [app.name], kind: "access to its ", what: $0.root,
                            reason: Self.general($0.reason, app.name), hint: $0.hint)
                    }
                })
    }

    /// A reason that can be that of other apps, too.
    private static func general(_ reason: String, _ app: String) -> String {
        let own = " of \(app)."
        return reason.hasSuffix(own) ? reason.dropLast(own.count) + "." : reason
    }

    /// First what one app lacks for one reason together, then the apps that lack the same for the same reason.
    private func joined(_ obstacles: [Obstacle]) -> [Obstacle] {
        var byApp: [Obstacle] = []
        for obstacle in obstacles {
            if let place = byApp.firstIndex(where: {
                ($0.apps, $0.reason, $0.hint) == (obstacle.apps, obstacle.reason, obstacle.hint)
            }) {
                byApp[place].what += ", " + obstacle.what
            } else {
                byApp.append(obstacle)
            }
        }
        var all: [Obstacle] = []
        for obstacle in byApp {
            if let place = all.firstIndex(where: {
                ($0.what, $0.reason, $0.hint) == (obstacle.what, obstacle.reason, obstacle.hint)
            }) {
                all[place].apps += obstacle.apps
            } else {
                all.append(obstacle)
            }
        }
        return all
    }

    private func lines(_ obstacle: Obstacle, _ width: Int?) -> [String] {
        func wrapped(_ text: String, _ indent: String) -> [String] {
            let text = TerminalText.sanitized(text)
            let lines =
                width.map { TerminalText.wrapped(text, to: max(16, min($0, 100) - indent.count)) } ?? [text]
            return lines.map { indent + $0 }
        }
        let heading = wrapped(
            "\(obstacle.apps.joined(separator: ", ")): \(obstacle.kind)\(obstacle.what)", "  ")
        return heading + wrapped(obstacle.reason, "    ") + (obstacle.hint.map { wrapped($0, "    ") } ?? [])
    }
}
