extension TransportError {
    /// The error for an error name in a reply of house_arrest.
    package init(houseArrest name: String, root: DeviceRoot) {
        let subject = root.bundleID ?? root.description
        let native = NativeCode(.houseArrest, nil, name)
        switch name {
        case "ApplicationLookupFailed":
            self.init(
                .appNotInstalled, "The app is not installed.", subject: subject,
                hint: "Install the app on the device, open it once, and try again.", native: native)
        case "InstallationLookupFailed":
            self.init(
                .accessRefused, "iOS does not allow access to the \(root.kind.rawValue) of this app.",
                subject: subject,
                hint: Self.refusalHint(root.kind), native: native)
        case "InvalidCommand", "UnknownCommand", "MissingCommand", "MissingIdentifier", "InvalidIdentifier":
            self.init(
                .notSupported, "The device does not understand the request (\(name)).", subject: subject,
                native: native)
        default:
            // The service passes on errors of lockdownd, such as PasswordProtected on a locked device.
            var error = TransportError(lockdownName: name, doing: "Opening the \(root)", subject: subject)
            error.native = native
            if error.code == .serviceRefused || error.code == .notFound { error.code = .accessRefused }
            self = error.hinting("Unlock the device and try again.")
        }
    }

    /// The reason why iOS refuses a kind of root.
    static func refusalHint(_ kind: DeviceRoot.Kind) -> String {
        switch kind {
        case .container:
            "Since iOS 8.3, the containers of App Store apps are not accessible. Their Documents folder "
                + "may be."
        case .documents:
            "iOS allows access to the Documents folder only for apps with file sharing "
                + "(UIFileSharingEnabled)."
        case .media: "Unlock the device and try again."
        }
    }
}
