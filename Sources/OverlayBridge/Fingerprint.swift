import OverlayABI

/// How a USB device presents itself; the Swift form of `ovl_fingerprint`.
///
/// Through usbmuxd only vendor, product and serial are known; the other values are 0 or nil.
public struct Fingerprint: Hashable, Sendable {
    /// idVendor.
    public var vendorID: UInt32
    /// idProduct.
    public var productID: UInt32
    /// bcdDevice.
    public var deviceRelease: UInt32
    /// Name of the manufacturer.
    public var manufacturer: String?
    /// Name of the product.
    public var product: String?
    /// The UDID.
    public var serial: String?

    /// A fingerprint.
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
