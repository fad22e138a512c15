import PropertyLists

/// The installation_proxy service, which lists the apps on the device.
struct InstallationProxy {
    static let serviceName = "com.apple.mobile.installation_proxy"

    let device: SimulatedDevice
    let stream: any ServiceStream

    func run() throws {
        let channel = PropertyListChannel(stream: stream)
        while let request = try channel.receive() {
            let options = request["ClientOptions"]
            switch request["Command"]?.string {
            case "Browse":
                try device.accept("installation_proxy.Browse", on: stream)
                try browse(options, channel)
            case "Lookup":
                try device.accept("installation_proxy.Lookup", on: stream)
                let found = apps(options).map { ($0.bundleID, entry($0, options)) }
                let result = PropertyList.dictionary(Dictionary(found) { first, _ in first })
                try channel.send(["LookupResult": result, "Status": "Complete"])
            default:
                try device.accept("installation_proxy.unknown", on: stream)
                try channel.send([
                    "Error": "UnknownCommand", "ErrorDescription": "The device does not know this command.",
                ])
            }
        }
    }

    private func browse(_ options: PropertyList?, _ channel: PropertyListChannel) throws {
        let apps = apps(options)
        let part = max(1, device.settings.appsPerAnswer)
        var index = 0
        while index < apps.count {
            let entries = apps[index...].prefix(part).map { entry($0, options) }
            var answer: [String: PropertyList] = [
                "Status": "BrowsingApplications", "CurrentIndex": .integer(Int64(index)),
                "CurrentAmount": .integer(Int64(entries.count)), "Total": .integer(Int64(apps.count)),
            ]
            if !device.settings.omitsAppsInLists { answer["CurrentList"] = .array(entries) }
            try channel.send(.dictionary(answer))
            index += entries.count
        }
        try channel.send(["Status": "Complete"])
    }

    private func apps(_ options: PropertyList?) -> [SimulatedApp] {
        let type = options?["ApplicationType"]?.string ?? "Any"
        let wanted = options?["BundleIDs"]?.array.map { Set($0.compactMap(\.string)) }
        return device.settings.apps.filter { app in
            (type == "Any" || type == Self.type(of: app)) && wanted?.contains(app.bundleID) ?? true
        }
    }

    private static func type(of app: SimulatedApp) -> String { app.isSystem ? "System" : "User" }

    private func entry(_ app: SimulatedApp, _ options: PropertyList?) -> PropertyList {
        let bundle =
            "/private/var/containers/Bundle/Application/" + DeviceIdentity.uuid(of: "bundle " + app.bundleID)
        let data = "/private/var/mobile/Containers/Data/Application/" + DeviceIdentity.uuid(of: app.bundleID)
        let executable = app.name.filter { $0.isLetter || $0.isNumber }
        var values: [String: PropertyList] = [
            "ApplicationDSID": 0, "ApplicationType": .string(Self.type(of: app)),
            "CFBundleDisplayName": .string(app.name),
            "CFBundleExecutable": .string(executable), "CFBundleIdentifier": .string(app.bundleID),
            "CFBundleInfoDictionaryVersion": "6.0", "CFBundleName": .string(app.name),
            "CFBundlePackageType": "APPL", "CFBundleShortVersionString": .string(app.version),
            "CFBundleVersion": .string(app.version), "Container": .string(data), "MinimumOSVersion": "7.0",
            "Path": .string("\(bundle)/\(executable).app"),
            "SignerIdentity": .string(
                app.developmentSigned ? "iPhone Developer: Simulated" : "Apple iPhone OS Application Signing"),
        ]
        if !app.reportsSigner { values["SignerIdentity"] = nil }
        if app.fileSharing { values["UIFileSharingEnabled"] = true }
        values.merge(documents(of: app)) { old, _ in old }
        if app.developmentSigned {
            values["ProfileValidated"] = true
            values["Entitlements"] = ["get-task-allow": true]
        }
        if let attributes = options?["ReturnAttributes"]?.array {
            let wanted = Set(attributes.compactMap(\.string))
            values = values.filter { wanted.contains($0.key) }
        }
        return .dictionary(values)
    }

    /// The document types that the app declares.
    private func documents(of app: SimulatedApp) -> [String: PropertyList] {
        guard !app.documentTypes.isEmpty else { return [:] }
        func list(_ texts: [String]) -> PropertyList { .array(texts.map { .string($0) }) }
        var values: [String: PropertyList] = [:]
        values["CFBundleDocumentTypes"] = .array(
            app.documentTypes.map { type in
                var entry: [String: PropertyList] = ["CFBundleTypeRole": "Viewer"]
                if !type.contentTypes.isEmpty { entry["LSItemContentTypes"] = list(type.contentTypes) }
                if !type.extensions.isEmpty { entry["CFBundleTypeExtensions"] = list(type.extensions) }
                return .dictionary(entry)
            })
        for place in [SimulatedApp.DocumentType.Declaration.exported, .imported] {
            let declarations = app.documentTypes.filter { $0.declaration == place }.flatMap { type in
                type.contentTypes.map { identifier in
                    PropertyList.dictionary([
                        "UTTypeIdentifier": .string(identifier),
                        "UTTypeTagSpecification": [
                            "public.filename-extension": list(type.declaredExtensions)
                        ],
                    ])
                }
            }
            if !declarations.isEmpty { values[place.rawValue] = .array(declarations) }
        }
        return values
    }
}
