import FoundationEssentials
import PropertyLists

extension DeviceValue {
    /// The limits of an answer. Copies of shared texts count.
    private static let limits = PropertyListLimits(bytes: 32 << 20, values: 200_000, depth: 32, repetition: 4)

    /// Parses an XML or binary property list from a device or from usbmuxd.
    init(parsing bytes: [UInt8]) throws(TransportError) {
        let list: PropertyList
        do throws(PropertyListError) {
            list = try PropertyList(parsing: bytes, limits: Self.limits)
        } catch {
            throw TransportError(
                .protocolViolation, "The device's answer is not a property list.",
                hint: TransportError.reconnectHint)
        }
        guard let value = DeviceValue(list) else { throw .violation("The device's answer is not a value.") }
        self = value
    }

    /// Converts a property list; nil for an archive reference, which devices do not send. In a container, such a
    /// reference is left out.
    private init?(_ list: PropertyList) {
        switch list {
        case .string(let text): self = .string(text)
        // Devices send unsigned numbers. A negative one keeps its bit pattern.
        case .integer(let number): self = .integer(UInt64(bitPattern: number))
        case .unsigned(let number): self = .integer(number)
        case .real(let number): self = .real(number)
        case .boolean(let flag): self = .bool(flag)
        case .date(let date): self = .date(date.timeIntervalSinceReferenceDate)
        case .data(let data): self = .data([UInt8](data))
        case .uid: return nil
        case .array(let items): self = .array(items.compactMap { DeviceValue($0) })
        case .dictionary(let items): self = .dictionary(items.compactMapValues { DeviceValue($0) })
        }
    }

    /// The value as a property list.
    var propertyList: PropertyList {
        switch self {
        case .bool(let flag): .boolean(flag)
        case .integer(let number): Int64(exactly: number).map { .integer($0) } ?? .unsigned(number)
        case .real(let number): .real(number)
        case .string(let text): .string(text)
        case .data(let bytes): .data(Data(bytes))
        case .date(let seconds): .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .array(let items): .array(items.map(\.propertyList))
        case .dictionary(let items): .dictionary(items.mapValues(\.propertyList))
        }
    }

    /// The bytes, if this is data.
    var data: [UInt8]? { if case .data(let bytes) = self { bytes } else { nil } }
}
