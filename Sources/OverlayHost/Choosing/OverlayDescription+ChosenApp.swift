import Preferences

extension OverlayDescription {
    /// The description with the app that a person has chosen for the overlay: the text in the overlay's own preference
    /// `<id>_bundle_id`, if it declares one. That app comes before those that the overlay names itself.
    ///
    /// People build some apps themselves, and each build has its own bundle id.
    func withChosenApp(_ values: PreferenceValues) throws(HostError) -> OverlayDescription {
        let key = id + "_bundle_id"
        guard options.contains(where: { $0.key == key }), values.schema[key] != nil,
            let chosen = try values.text(key), !chosen.isEmpty
        else { return self }
        var description = self
        description.appIDs = [chosen] + appIDs.filter { $0 != chosen }
        return description
    }
}
