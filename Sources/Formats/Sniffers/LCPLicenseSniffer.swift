extension BuiltInSniffer {
    /// A JSON object with the four members of a licence (format reference 6.3).
    static let lcpLicense = BuiltInSniffer(
        "lcpLicense", .lcpLicense, extensions: ["lcpl"], mediaTypes: [.lcpLicenseDocument]
    ) { context in
        context.jsonOutline?.isLcpLicense == true ? "members id, issued, provider and encryption" : nil
    }
}
