import JSON
import OverlayHost

/// The preferences, grouped by the overlays to which they belong, as JSON and as text.
struct PreferenceDocument {
    /// Keys that belong together, with a title.
    struct Group {
        var title: String
        var rows: [PreferenceRow]
    }

    /// The usable overlays.
    let overlays: [OverlayDescription]

    /// The id of the overlay to which a key belongs; nil for the host's own, obsolete and unknown keys.
    func overlay(_ row: PreferenceRow) -> String? {
        switch row.preference?.owner {
        case .overlay(let id): id
        // An app may have preferences even if its overlay is not installed.
        case .readerApp(let name): overlays.first { $0.appName == name }?.id ?? name.lowercased()
        case .host, .obsolete, nil: nil
        }
    }

    /// The keys of an overlay: those that it declares, and earlier ones of its app.
    func rows(_ rows: [PreferenceRow], of overlay: OverlayDescription) -> [PreferenceRow] {
        rows.filter { row in
            switch row.preference?.owner {
            case .overlay(let id): id == overlay.id
            case .readerApp(let name): name == overlay.appName
            case .host, .obsolete, nil: false
            }
        }
    }

    /// The host's keys, then those of each overlay, then unknown and obsolete keys.
    func groups(_ rows: [PreferenceRow]) -> [Group] {
        var groups: [Group] = []
        func add(_ title: String, _ row: PreferenceRow) {
            if let index = groups.firstIndex(where: { $0.title == title }) {
                groups[index].rows.append(row)
            } else {
                groups.append(Group(title: title, rows: [row]))
            }
        }
        let obsolete = "No longer used"
        let unknown = "Unknown to this version"
        for row in rows {
            switch row.preference?.owner {
            case .host: add("OverlayHost", row)
            case .readerApp(let name): add(overlays.first { $0.appName == name }?.name ?? name, row)
            case .overlay(let id): add(overlays.first { $0.id == id }?.name ?? id, row)
            case .obsolete: add(obsolete, row)
            case nil: add(unknown, row)
            }
        }
        let last = [obsolete, unknown]
        return groups.filter { !last.contains($0.title) } + groups.filter { last.contains($0.title) }
    }

    /// A key with everything that is known about it.
    func json(_ row: PreferenceRow) -> JSONValue {
        let preference = row.preference
        return .document([
            "key": .string(row.key), "overlay": .optional(overlay(row)), "value": row.value ?? .null,
            "is_set": .bool(row.stored != nil), "default": preference?.fallback ?? .null,
            "type": .optional(preference?.type.name), "range": Self.range(preference),
            "allowed": preference?.allowed.map { .texts($0) }, "columns": Self.columns(preference),
            "label": .optional(preference?.label),
            "help": .optional(preference?.meaning), "meaning": .optional(preference?.meaning),
            "has_effect": .bool(row.hasEffect), "problem": .optional(row.problem),
            "remarks": row.remarks.isEmpty ? nil : .texts(row.remarks),
        ])
    }

    /// The values for which columns of a calibre library can be chosen; nil for a key without such a choice.
    private static func columns(_ preference: Preference?) -> JSONValue? {
        preference?.columnRoles.map { roles in
            .array(
                roles.map { role in
                    .document([
                        "key": .string(role.key), "label": .string(role.label), "kinds": .texts(role.kinds),
                    ])
                })
        }
    }

    /// `{"minimum", "maximum"}`; nil for a key without a range.
    private static func range(_ preference: Preference?) -> JSONValue? {
        guard let range = preference?.range else { return nil }
        return .document([
            "minimum": JSONNumber(range.lowerBound).map { .number($0) },
            "maximum": JSONNumber(range.upperBound).map { .number($0) },
        ])
    }
}
