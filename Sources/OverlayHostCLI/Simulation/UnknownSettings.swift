import JSON
import Platform
import SimulatedDevice

/// Unknown settings in a device file, probably typos; reported as warnings.
enum UnknownSettings {
    /// A sentence for each, in the order of the file.
    static func sentences(_ document: JSONValue) -> [String] {
        var found = strangers(document, "", SimulatedDeviceFile.memberNames)
        for (list, names) in [
            ("apps", SimulatedDeviceFile.appMemberNames), ("faults", SimulatedDeviceFile.faultMemberNames),
        ] {
            guard case .array(let elements)? = document.object?[list] else { continue }
            for (index, element) in elements.enumerated() {
                found += strangers(element, "\(list)[\(index)].", names)
            }
        }
        return found
    }

    private static func strangers(_ value: JSONValue, _ path: String, _ names: [String]) -> [String] {
        // The decoder also accepts the Swift names.
        let known = Set(names.flatMap { [$0, camelCase($0)] })
        return (value.object?.members ?? []).map(\.name).filter { !known.contains($0) }.map { name in
            let meant = NearestName.find(name, in: names).map { " Did you mean '\(path)\($0)'?" }
            return "Simulated devices have no setting '\(path)\(name)'; ignoring it.\(meant ?? "")"
        }
    }

    private static func camelCase(_ name: String) -> String {
        let words = name.split(separator: "_")
        return words.prefix(1).joined()
            + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
