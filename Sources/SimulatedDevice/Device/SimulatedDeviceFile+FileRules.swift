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
