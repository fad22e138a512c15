extension HostSession {
    /// What can be done with this reader app on this device: its formats, what can be changed of a book, and what is missing.
    ///
    /// Asked once for each session; the device is asked nothing. Throws what the overlay says went wrong.
    public func settings() throws(HostError) -> AppAbilities {
        if let known = knownSettings { return known }
        let settings: AppAbilities
        do throws(HostError) { settings = try link.instance.settings() } catch { throw settled(error) }
        knownSettings = settings
        return settings
    }

    /// Throws why an ability (`books`, `upload`, `delete`, `update`, `collections`, `get`, `covers`) is missing here.
    func require(_ ability: String) throws(HostError) {
        reloadIfChanged()
        guard let missing = try settings().missing(ability) else { return }
        throw HostError(.notSupported, missing.reason, subject: app.name, hint: missing.hint)
    }
}
