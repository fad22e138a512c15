extension SimulatedDeviceFile {
    /// Sets the members for file rules from `rules`.
    mutating func state(_ rules: FileRules) {
        fileNames = rules.names.rawValue
        openFileLimit = rules.openFileLimit ?? 0
        refusesExistingFolders = rules.refusesExistingFolders
        renameReplaces = rules.renameReplaces
        folderOntoFileStatus = rules.folderOntoFileStatus
        writableContainerRoot = rules.hasWritableContainerRoot
        undecodableNames = rules.foldersWithUndecodableNames
    }

    /// Changes the rules to the values in the file. Throws `SimulatedDeviceFileError` for an invalid value.
    func apply(to rules: inout FileRules) throws(SimulatedDeviceFileError) {
        if let fileNames {
            rules.names = try Self.known(
                FileRules.Names(rawValue: fileNames), "fileNames", fileNames,
                of: FileRules.Names.allCases.map(\.rawValue))
        }
        if let openFileLimit { rules.openFileLimit = openFileLimit > 0 ? openFileLimit : nil }
        if let refusesExistingFolders { rules.refusesExistingFolders = refusesExistingFolders }
        if let renameReplaces { rules.renameReplaces = renameReplaces }
        if let folderOntoFileStatus {
            guard folderOntoFileStatus > 0 else {
                throw SimulatedDeviceFileError(
                    member: "folderOntoFileStatus", value: "0", expected: "an AFC status other than success")
            }
            rules.folderOntoFileStatus = folderOntoFileStatus
        }
        if let writableContainerRoot { rules.hasWritableContainerRoot = writableContainerRoot }
        if let undecodableNames { rules.foldersWithUndecodableNames = undecodableNames }
    }
}

extension SimulatedDeviceFile {
    /// Changes a running device to match the file: its settings, and whether and how it is attached to `daemon`.
    ///
    /// Hosts can change the name and the trust too. These are changed only if the file differs from `previous`, the
    /// earlier content of the file. Throws `SimulatedDeviceFileError` for an invalid value, before anything is
    /// changed, and the file system's error if the folders of new apps cannot be created.
    public func apply(
        to device: SimulatedDevice, at daemon: SimulatedUsbmuxd, since previous: SimulatedDeviceFile? = nil
    ) throws {
        let old = device.settings
        var changed = old
        try apply(to: &changed)
        try device.update { settings in
            let (name, trust) = (settings.name, settings.trust)
            settings = changed
            if let previous, previous.name == self.name { settings.name = name }
            if let previous, previous.trust == self.trust { settings.trust = trust }
        }
        let isAttached = daemon.isAttached(device)
        let isWanted = attached ?? isAttached
        if isAttached, !isWanted {
            daemon.detach(device)
        } else if isWanted, !isAttached || changed.attachment != old.attachment {
            daemon.attach(device)
        }
    }
}

extension SimulatedDeviceFile {
    /// The members that a device file can have, by their names in the file. Other members are ignored.
    public static let memberNames = names(of: SimulatedDeviceFile())
    /// The members of an element of `apps`.
    public static let appMemberNames = names(of: App(bundleId: "", name: ""))
    /// The members of an element of `faults`.
    public static let faultMemberNames = names(of: FaultEntry(effect: ""))

    /// The stored properties in snake case, in declaration order.
    private static func names(of value: some Codable) -> [String] {
        Mirror(reflecting: value).children.compactMap(\.label).map(SimulatedDeviceFileError.snakeCase)
    }
}
