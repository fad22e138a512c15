import OverlayABI

/// The description of a USB device. The Swift form of `ovl_fingerprint`.
///
/// From usbmuxd, only vendor, product and serial are known; the other values are 0 or nil.
///
/// ```swift
/// func name(of device: Fingerprint) -> String? {
///     guard device.vendorID == 0x05AC else { return nil }
///     return device.product ?? "device \(device.serial ?? "without a serial number")"
/// }
/// ```
public struct Fingerprint: Hashable, Sendable {
    /// The value of idVendor.
    public var vendorID: UInt32
    /// The value of idProduct.
    public var productID: UInt32
    /// The value of bcdDevice.
    public var deviceRelease: UInt32
    /// The name of the manufacturer.
    public var manufacturer: String?
    /// The name of the product.
    public var product: String?
    /// The UDID.
    public var serial: String?

    /// Creates a fingerprint.
    public init(
        vendorID: UInt32 = 0, productID: UInt32 = 0, deviceRelease: UInt32 = 0, manufacturer: String? = nil,
        product: String? = nil, serial: String? = nil
    ) {
        self.vendorID = vendorID
        self.productID = productID
        self.deviceRelease = deviceRelease
        self.manufacturer = manufacturer
        self.product = product
        self.serial = serial
    }
}

extension Fingerprint {
    /// Creates a record with views into `arena`.
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
