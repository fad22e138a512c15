import JSON
import OverlayHost

/// What is not possible with reader apps, as text. Shared reasons are printed once.
struct ObstacleText {
    /// What some apps do not allow, for one reason.
    private struct Obstacle {
        var apps: [String]
        var kind = ""
        var what: String
        var reason: String
        var hint: String?
    }

    private let obstacles: [Obstacle]

    /// Lists first what is not possible with the apps, then which of their files cannot be reached.
    init(_ apps: [ReaderAppSurvey.App]) {
        obstacles =
            Self.joined(apps.flatMap { Self.obstacles($0.missing, of: $0.name) })
            + Self.joined(
                apps.flatMap { app in
                    app.refused.map {
                        Obstacle(
                            apps: [app.name], kind: "access to the ", what: $0.root,
                            reason: Self.general($0.reason, app.name), hint: $0.hint)
                    }
                })
    }

    /// Lists what is not possible with one app.
    init(missing: [MissingAbility], of app: String) {
        obstacles = Self.joined(Self.obstacles(missing, of: app))
    }

    /// The lines under a heading; empty if nothing is missing. On a terminal `width` cells wide they are wrapped.
    func render(width: Int?) -> [String] {
        obstacles.isEmpty ? [] : ["Not possible:"] + obstacles.flatMap { lines($0, width) }
    }

    private static func obstacles(_ missing: [MissingAbility], of app: String) -> [Obstacle] {
        missing.map { Obstacle(apps: [app], what: $0.ability, reason: $0.reason, hint: $0.hint) }
    }

    /// The reason in a form that may apply to other apps too.
    private static func general(_ reason: String, _ app: String) -> String {
        let own = " of \(app)."
        return reason.hasSuffix(own) ? reason.dropLast(own.count) + "." : reason
    }

    /// Combines the abilities that an app lacks for the same reason. Then combines the apps that lack the same
    /// abilities for the same reason.
    private static func joined(_ obstacles: [Obstacle]) -> [Obstacle] {
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

extension MissingAbility {
    /// The ability, with the reason and the advice.
    var document: JSONValue {
        .document([
            "ability": .string(ability), "reason": .string(reason), "hint": .optional(hint),
            "hint_code": hintCode.map { .string($0.rawValue) },
        ])
    }
}
