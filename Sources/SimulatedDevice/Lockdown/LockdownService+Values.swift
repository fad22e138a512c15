import PropertyLists

extension LockdownService {
    func value(_ request: PropertyList) throws -> [String: PropertyList] {
        let domain = request["Domain"]?.string
        var values = try DeviceValues(device).all(of: domain)
        if session == nil {
            let key = request["Key"]?.string
            if domain != nil || key.map({ values[$0] != nil && !DeviceValues.openKeys.contains($0) }) == true
            {
                throw LockdownError.getProhibited
            }
            values = values.filter { DeviceValues.openKeys.contains($0.key) }
        }
        var reply: [String: PropertyList] = [:]
        if let domain { reply["Domain"] = .string(domain) }
        guard let key = request["Key"]?.string else {
            reply["Value"] = .dictionary(values)
            return reply
        }
        guard let value = values[key] else { throw LockdownError.missingValue }
        reply["Key"] = .string(key)
        reply["Value"] = value
        return reply
    }

    func setValue(_ request: PropertyList) throws -> [String: PropertyList] {
        let (domain, key) = try changeable(request, refusal: .setProhibited)
        guard let value = request["Value"] else { throw LockdownError.missingValue }
        if domain == nil, key == "DeviceName" {
            guard let name = value.string else { throw LockdownError.setProhibited }
            try device.update { $0.name = name }
        } else {
            device.changeValue(of: domain, key: key, to: value)
        }
        return echo(domain, key).merging(["Value": value]) { _, new in new }
    }

    func removeValue(_ request: PropertyList) throws -> [String: PropertyList] {
        let (domain, key) = try changeable(request, refusal: .removeProhibited)
        device.changeValue(of: domain, key: key, to: nil)
        return echo(domain, key)
    }

    /// The values that a host may change. All other values describe the device itself.
    private static let changeableKeys: [String?: Set<String>] = [
        nil: ["DeviceName", "TimeZone", "TimeIntervalSince1970", "Uses24HourClock"],
        "com.apple.international": ["Keyboard", "Language", "Locale"],
        "com.apple.mobile.wireless_lockdown": ["EnableWifiConnections"],
    ]

    private func changeable(_ request: PropertyList, refusal: LockdownError) throws -> (String?, String) {
        guard session != nil else { throw LockdownError.sessionInactive }
        let domain = request["Domain"]?.string
        guard let key = request["Key"]?.string else { throw LockdownError.missingKey }
        guard LockdownService.changeableKeys[domain]?.contains(key) == true else { throw refusal }
        return (domain, key)
    }

    private func echo(_ domain: String?, _ key: String) -> [String: PropertyList] {
        var reply: [String: PropertyList] = ["Key": .string(key)]
        if let domain { reply["Domain"] = .string(domain) }
        return reply
    }
}
