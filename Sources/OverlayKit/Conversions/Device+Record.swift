import OverlayABI
import OverlayBridge

extension Fingerprint {
    /// Copies a record.
    package init(_ record: ovl_fingerprint) throws(OverlayError) {
        self.init(
            vendorID: record.vendor_id, productID: record.product_id, deviceRelease: record.device_release,
            manufacturer: try record.manufacturer.string("fingerprint.manufacturer"),
            product: try record.product.string("fingerprint.product"),
            serial: try record.serial.string("fingerprint.serial"))
    }
}

extension DeviceInfo {
    /// Copies a record.
    package init(_ record: ovl_device) throws(OverlayError) {
        self.init(
            udid: try record.udid.string("device.udid"), name: try record.name.string("device.name"),
            model: try record.model.string("device.model"),
            iosVersion: try record.ios_version.string("device.ios_version"),
            appID: try record.app_id.string("device.app_id"),
            appName: try record.app_name.string("device.app_name"),
            appVersion: try record.app_version.string("device.app_version"),
            appFormats: try record.app_formats.strings("device.app_formats") ?? [],
            appFileSharing: record.app_file_sharing != 0,
            isOverNetwork: record.flags & OVL_DEVICE_OVER_NETWORK != 0)
    }

    /// Creates a record with views into `arena`.
    package func record(in arena: Arena) -> ovl_device {
        var record = ovl_device.sized()
        if isOverNetwork { record.flags |= OVL_DEVICE_OVER_NETWORK }
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
    /// Copies a record.
    package init(_ record: ovl_root) throws(OverlayError) {
        self.init(
            root: Root(rawValue: record.root), granted: record.granted != 0,
            reason: try record.reason.string("root.reason"), hint: try record.hint.string("root.hint"))
    }

    /// Creates a record with views into `arena`.
    package func record(in arena: Arena) -> ovl_root {
        var record = ovl_root.sized()
        record.root = root.rawValue
        record.granted = granted ? 1 : 0
        record.reason = arena.text(reason)
        record.hint = arena.text(hint)
        return record
    }
}

extension OverlaySettings {
    /// Creates a record with views into `arena`.
    package func record(in arena: Arena) -> ovl_settings {
        var record = ovl_settings.sized()
        record.formats = arena.texts(formats)
        record.settable_metadata = arena.texts(settableMetadata)
        record.missing = arena.list(missing) { missing in
            var record = ovl_missing.sized()
            record.ability = arena.text(missing.ability.rawValue)
            record.reason = arena.text(missing.reason)
            record.hint = arena.text(missing.hint)
            record.flags = HintKind.flags(missing.hintKind)
            return record
        }
        return record
    }
}

extension FileInfo {
    /// Copies a record.
    package init(_ record: ovl_file_info) throws(OverlayError) {
        self.init(
            name: try record.name.required("file_info.name"), kind: FileKind(rawValue: record.kind),
            size: record.size, modified: record.modified, created: record.created)
    }

    /// Creates a record with views into `arena`.
    package func record(in arena: Arena) -> ovl_file_info {
        var record = ovl_file_info.sized()
        record.name = arena.text(name)
        record.kind = kind.rawValue
        record.size = size
        record.modified = modified
        record.created = created
        return record
    }
}

extension ReadRequest {
    /// Copies a record.
    package init(_ record: ovl_read_request) throws(OverlayError) {
        self.init(
            try record.path.required("read_request.path"), offset: record.offset, length: record.length,
            once: record.flags & OVL_READ_ONCE != 0,
            precedesMetadata: record.flags & OVL_READ_BEFORE_METADATA != 0)
    }

    /// Creates a record with views into `arena`.
    package func record(in arena: Arena) -> ovl_read_request {
        var record = ovl_read_request.sized()
        record.flags = (once ? OVL_READ_ONCE : 0) | (precedesMetadata ? OVL_READ_BEFORE_METADATA : 0)
        record.path = arena.text(path)
        record.offset = offset
        record.length = length
        return record
    }
}

extension PushItem {
    /// Copies a record.
    package init(_ record: ovl_push_item) throws(OverlayError) {
        self.init(HostFile(rawValue: record.file), to: try record.path.required("push_item.path"))
    }

    /// Creates a record with views into `arena`.
    package func record(in arena: Arena) -> ovl_push_item {
        var record = ovl_push_item.sized()
        record.file = file.rawValue
        record.path = arena.text(path)
        return record
    }
}
