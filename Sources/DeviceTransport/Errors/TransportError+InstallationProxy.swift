extension TransportError {
    /// The error for an error name in a reply of installation_proxy; `details` is its `ErrorDescription`.
    package init(installationProxy name: String, details: String? = nil, subject: String? = nil) {
        let number = InstallationProxyTable.names.first { $0.name == name }?.number
        let code: Code =
            switch name {
            case "LookupFailed", "MissingContainer": .appNotInstalled
            case "NotEntitled", "InstallProhibited", "UninstallProhibited": .accessRefused
            case "UnknownCommand": .notSupported
            case "DeviceOSVersionTooLow", "DeviceFamilyNotSupported", "IncorrectArchitecture": .notSupported
            case "PasswordProtected", "DeviceLocked", "EscrowLocked": .passcodeLocked
            default:
                name.hasPrefix("Missing") && number != nil ? .invalidArgument : .ioFailure
            }
        let text = details.map { $0.isEmpty ? name : "\(name), \($0.prefix(300))" } ?? name
        self.init(
            code, "Reading the device's list of apps failed: \(text).", subject: subject,
            hint: code == .passcodeLocked ? Self.unlockHint : Self.reconnectHint,
            native: NativeCode(.installationProxy, number.map(Int64.init), name))
    }
}

private enum InstallationProxyTable {
    /// Error names of installation_proxy with their numbers in `instproxy_error_t`.
    static let names: [(number: Int32, name: String)] = [
        (-7, "AlreadyArchived"), (-8, "APIInternalError"), (-9, "ApplicationAlreadyInstalled"),
        (-10, "ApplicationMoveFailed"), (-11, "ApplicationSINFCaptureFailed"),
        (-12, "ApplicationSandboxFailed"), (-13, "ApplicationVerificationFailed"),
        (-14, "ArchiveDestructionFailed"), (-15, "BundleVerificationFailed"),
        (-16, "CarrierBundleCopyFailed"), (-17, "CarrierBundleDirectoryCreationFailed"),
        (-18, "CarrierBundleMissingSupportedSIMs"), (-19, "CommCenterNotificationFailed"),
        (-20, "ContainerCreationFailed"), (-21, "ContainerP0wnFailed"), (-22, "ContainerRemovalFailed"),
        (-23, "EmbeddedProfileInstallFailed"), (-24, "ExecutableTwiddleFailed"),
        (-25, "ExistenceCheckFailed"), (-26, "InstallMapUpdateFailed"), (-27, "ManifestCaptureFailed"),
        (-28, "MapGenerationFailed"), (-29, "MissingBundleExecutable"),
        (-30, "MissingBundleIdentifier"), (-31, "MissingBundlePath"), (-32, "MissingContainer"),
        (-33, "NotificationFailed"), (-34, "PackageExtractionFailed"), (-35, "PackageInspectionFailed"),
        (-36, "PackageMoveFailed"), (-37, "PathConversionFailed"), (-38, "RestoreContainerFailed"),
        (-39, "SeatbeltProfileRemovalFailed"), (-40, "StageCreationFailed"), (-41, "SymlinkFailed"),
        (-42, "UnknownCommand"), (-43, "iTunesArtworkCaptureFailed"),
        (-44, "iTunesMetadataCaptureFailed"), (-45, "DeviceOSVersionTooLow"),
        (-46, "DeviceFamilyNotSupported"), (-47, "PackagePatchFailed"), (-48, "IncorrectArchitecture"),
        (-49, "PluginCopyFailed"), (-50, "BreadcrumbFailed"), (-51, "BreadcrumbUnlockFailed"),
        (-52, "GeoJSONCaptureFailed"), (-53, "NewsstandArtworkCaptureFailed"), (-54, "MissingCommand"),
        (-55, "NotEntitled"), (-56, "MissingPackagePath"), (-57, "MissingContainerPath"),
        (-58, "MissingApplicationIdentifier"), (-59, "MissingAttributeValue"), (-60, "LookupFailed"),
        (-61, "DictCreationFailed"), (-62, "InstallProhibited"), (-63, "UninstallProhibited"),
        (-64, "MissingBundleVersion"),
    ]
}
