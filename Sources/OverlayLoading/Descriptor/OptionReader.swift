import Diagnostics
import JSON
import OverlayABI
import Preferences

/// Checks the options in a descriptor and converts them into preferences.
enum OptionReader {
    static func read(_ list: ovl_list, id: String, appName: String) throws(OverlayRefusal) -> [Preference] {
        var options: [Preference] = []
        for option in try DescriptorReader.records(list, of: ovl_option.self, "options", .options) {
            let preference = try preference(option, id: id, appName: appName)
            guard !options.contains(where: { $0.key == preference.key }) else {
                throw invalid("Its descriptor declares the option \(preference.key) twice.")
            }
            guard !preference.namesSyncFolder || !options.contains(where: \.namesSyncFolder) else {
                throw invalid("In its descriptor, several options name the folder to sync.")
            }
            options.append(preference)
        }
        return options
    }

    private static func preference(
        _ option: ovl_option, id: String, appName: String
    ) throws(OverlayRefusal) -> Preference {
        let key = try DescriptorReader.required(option.key, "the key of an option")
        guard let type = Preference.ValueType(rawValue: option.type) else {
            throw invalid("Its option \(key) has the unknown type \(option.type).")
        }
        try checkKey(key, type, id: id, appName: appName)
        let help = try DescriptorReader.text(
            option.help, "the help of option \(key)", limit: DescriptorReader.Most.sentence)
        let label = try DescriptorReader.text(
            option.label, "the label of option \(key)", limit: DescriptorReader.Most.name)
        var range: ClosedRange<Double>?
        if option.flags & OVL_OPTION_HAS_RANGE != 0 {
            guard option.minimum.isFinite, option.maximum.isFinite, option.minimum <= option.maximum else {
                throw invalid("The range of its option \(key) must run from a smaller to a larger number.")
            }
            range = option.minimum...option.maximum
        }
        let allowed =
            option.allowed.items == nil
            ? nil : try DescriptorReader.list(option.allowed, "allowed texts of option \(key)")
        var preference = Preference(
            key, type, owner: .overlay(id), range: range, allowed: allowed, label: label, help ?? label ?? "")
        if option.flags & OVL_OPTION_SYNC_FOLDER != 0 {
            guard type == .text else {
                throw invalid("Its option \(key) names the folder to sync and must be a text.")
            }
            preference.holdsPaths = true
            preference.namesSyncFolder = true
        }
        preference.fallback = try fallback(option, preference)
        guard !preference.namesSyncFolder || [nil, .string("")].contains(preference.fallback) else {
            throw invalid("Its option \(key) names the folder to sync and must not have a default.")
        }
        return preference
    }

    private static func checkKey(
        _ key: String, _ type: Preference.ValueType, id: String, appName: String
    ) throws(OverlayRefusal) {
        guard let known = PreferenceSchema.builtIn[key] else {
            guard key.hasPrefix(id + "_"), key.utf8.count > id.utf8.count + 1 else {
                throw invalid("The key of its option \(key) does not begin with \(id)_.")
            }
            return
        }
        guard known.owner == .readerApp(appName) else {
            throw invalid("Its option \(key) is not one of \(appName)'s.")
        }
        guard known.type == type else {
            throw invalid("Its option \(key) is a \(type.name); the historical type is \(known.type.name).")
        }
    }

    private static func fallback(
        _ option: ovl_option, _ preference: Preference
    ) throws(OverlayRefusal) -> JSONValue? {
        let field = "the default of option \(preference.key)"
        guard
            let text = try DescriptorReader.text(
                option.fallback, field, limit: DescriptorReader.Most.help, lines: true)
        else { return nil }
        let value: JSONValue
        do {
            value = try JSONValue(parsing: text)
        } catch {
            throw invalid("In its descriptor, \(field) is not JSON (\(error.description)).")
        }
        if value == .null { return nil }
        guard preference.acceptsNew(value) else {
            throw invalid("In its descriptor, \(field) is not \(preference.expectation).")
        }
        return value
    }

    private static func invalid(_ message: String) -> OverlayRefusal {
        DescriptorReader.invalid(.options, message)
    }
}
