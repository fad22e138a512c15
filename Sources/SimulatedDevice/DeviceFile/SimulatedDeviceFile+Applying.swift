extension SimulatedDeviceFile {
    /// States the rules of files.
    mutating func state(_ rules: FileRules) {
        fileNames = rules.names.rawValue
        openFileLimit = rules.openFileLimit ?? 0
        refusesExistingFolders = rules.refusesExistingFolders
        renameReplaces = rules.renameReplaces
        folderOntoFileStatus = rules.folderOntoFileStatus
        writableContainerRoot = rules.hasWritableContainerRoot
        undecodableNames = rules.foldersWithUndecodableNames
    }

    /// Changes the rules to what the file states; throws `SimulatedDeviceFileError` for a value that means nothing.
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
    /// Changes a device that runs to what the file states: its settings, and whether and how it is attached to `daemon`.
    ///
    /// What hosts change as well, the name and the trust, is only changed where the file states something else than `previous`,
    /// the file as it was before. Throws `SimulatedDeviceFileError` for a value that means nothing, before anything is changed,
    /// and the file system's error when folders of new apps cannot be made.
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
    /// The members that a device file can have, by their names in the file; the rest is passed over.
    public static let memberNames = names(of: SimulatedDeviceFile())
    /// The members of an element of `apps`.
    public static let appMemberNames = names(of: App(bundleId: "", name: ""))
    /// The members of an element of `faults`.
    public static let faultMemberNames = names(of: FaultEntry(effect: ""))

    /// The stored properties in snake case, in the order of their declaration.
    private static func names(of value: some Codable) -> [String] {
        Mirror(reflecting: value).children.compactMap(\.label).map(SimulatedDeviceFileError.snakeCase)
    }
}
