import OverlayABI

extension Fingerprint {
    /// A copy of a record.
    package init(_ record: ovl_fingerprint) throws(OverlayError) {
        self.init(
            vendorID: record.vendor_id, productID: record.product_id, deviceRelease: record.device_release,
            manufacturer: try record.manufacturer.string("fingerprint.manufacturer"),
            product: try record.product.string("fingerprint.product"),
            serial: try record.serial.string("fingerprint.serial"))
    }

    /// A record with views into `arena`.
    package func record(in arena: Arena) -> ovl_fingerprint {
        var record = ovl_fingerprint.sized()
        record.vendor_id = vendorID
        record.product_id = productID
        record.device_release = deviceRelease
        record.manufacturer = arena.text(manufacturer)
        record.product = arena.text(product)
        record.serial = arena.text(serial)
        return record
    }
}

extension Presence {
    /// A copy of a record.
    package init(_ record: ovl_presence) throws(OverlayError) {
        self.init(
            answer: Answer(rawValue: record.answer), reason: Reason(rawValue: record.reason),
            message: try record.message.string("presence.message"),
            hint: try record.hint.string("presence.hint"),
            appVersion: try record.app_version.string("presence.app_version"))
    }

    /// A record with views into `arena`.
    package func record(in arena: Arena) -> ovl_presence {
        var record = ovl_presence.sized()
        record.answer = answer.rawValue
        record.reason = reason.rawValue
        record.message = arena.text(message)
        record.hint = arena.text(hint)
        record.app_version = arena.text(appVersion)
        return record
    }
}

extension DeviceInfo {
    /// A copy of a record.
    package init(_ record: ovl_device) throws(OverlayError) {
        self.init(
            udid: try record.udid.string("device.udid"), name: try record.name.string("device.name"),
            model: try record.model.string("device.model"),
            iosVersion: try record.ios_version.string("device.ios_version"),
            appID: try record.app_id.string("device.app_id"),
            appName: try record.app_name.string("device.app_name"),
            appVersion: try record.app_version.string("device.app_version"),
            appFormats: try record.app_formats.strings("device.app_formats") ?? [],
            appFileSharing: record.app_file_sharing != 0)
    }

    /// A record with views into `arena`.
    package func record(in arena: Arena) -> ovl_device {
        var record = ovl_device.sized()
        record.udid = arena.text(udid)
        record.name = arena.text(name)
        record.model = arena.text(model)
        record.ios_version = arena.text(iosVersion)
        record.app_id = arena.text(appID)
        record.app_name = arena.text(appName)
        record.app_version = arena.text(appVersion)
        record.app_formats = arena.texts(appFormats)
        record.app_file_sharing = appFileSharing ? 1 : 0
        return record
    }
}

extension RootAccess {
    /// A copy of a record.
    package init(_ record: ovl_root) throws(OverlayError) {
        self.init(
            root: Root(rawValue: record.root), granted: record.granted != 0,
            reason: try record.reason.string("root.reason"), hint: try record.hint.string("root.hint"))
    }

    /// A record with views into `arena`.
    package func record(in arena: Arena) -> ovl_root {
        var record = ovl_root.sized()
        record.root = root.rawValue
        record.granted = granted ? 1 : 0
        record.reason = arena.text(reason)
        record.hint = arena.text(hint)
        return record
    }
}
