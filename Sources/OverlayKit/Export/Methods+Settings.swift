import OverlayABI

extension ovl_methods {
    /// Fills the slots about the device and app at hand that `type` implements.
    mutating func fillSettingsSlots(_ type: any Overlay.Type) {
        if type is any ProvidesSettings.Type { fillSettings() }
        if type is any PerformsCommands.Type { fillPerform() }
    }

    private mutating func fillSettings() {
        settings = { instance, settings, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                let sink = try ForeignSettingsSink(settings)
                try sink.put(Instance.capability(instance.providesSettings).settings())
            }
        }
    }

    private mutating func fillPerform() {
        perform = { instance, command, parameters, paths, answer, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                let command = try requiredView(command).required("command")
                let parameters = try requiredView(parameters).map(ovl_pair.self, "parameters") {
                    (pair) throws(OverlayError) in
                    (try pair.key.required("pair.key"), try pair.value.string("pair.value") ?? "")
                }
                let books = try requiredView(paths).strings("paths") ?? []
                let sink = try ForeignBytesSink(answer)
                try Instance.capability(instance.performsCommands).perform(
                    command, parameters: parameters, paths: books
                ) { (chunk, offset, total) throws(OverlayError) in
                    try sink.put(chunk, offset: offset, total: total)
                }
                try sink.checkOpen()
            }
        }
    }
}
