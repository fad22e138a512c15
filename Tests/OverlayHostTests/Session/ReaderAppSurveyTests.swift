import DeviceTransport
import Testing

@testable import OverlayHost

@Suite("The survey of apps lists what is served, with access granted and refused")
struct ReaderAppSurveyTests {
    private func app(_ id: String, _ name: String) -> InstalledApp {
        InstalledApp(bundleID: id, attributes: ["CFBundleDisplayName": .string(name)])
    }

    private func overlay(_ id: String, _ apps: [String]) -> OverlayDescription {
        OverlayDescription(id: id, name: id, version: "1.0.0", appName: id, appIDs: apps)
    }

    @Test("Apps come in the overlays' order, each once, for the first overlay that serves it")
    func order() throws {
        let device = FakeDevice()
        device.set(apps: [app("c", "C"), app("a", "A"), app("x", "X")])
        let survey = try ReaderAppSurvey.run(
            on: device, try device.information(OperationContext()),
            overlays: [overlay("one", ["a", "b"]), overlay("two", ["c", "a"])], OperationContext())
        #expect(
            survey.apps.map { [$0.bundleID, $0.name, $0.overlay] } == [
                ["a", "A", "one"], ["c", "C", "two"],
            ])
        #expect(survey.apps[0].access == ["container", "documents", "media"])
        #expect(survey.device.model == "iPad2,5")
    }

    @Test("A refused root has its reason and hint")
    func refused() throws {
        let device = FakeDevice()
        device.set(apps: [app("a", "A")])
        device.refuse(
            [.container], TransportError(.accessRefused, "Closed since 8.3.", hint: "Use documents."))
        let survey = try ReaderAppSurvey.run(
            on: device, try device.information(OperationContext()), overlays: [overlay("one", ["a"])],
            OperationContext())
        #expect(survey.apps[0].access == ["documents", "media"])
        #expect(
            survey.apps[0].refused == [
                .init(root: "container", reason: "Closed since 8.3.", hint: "Use documents.")
            ])
    }

    @Test(
        "The overlays of apps that every device has are loaded before the device is asked which apps it has")
    func early() throws {
        let device = FakeDevice()
        device.set(apps: [app("a", "A")])
        var heard: [[String]] = []
        _ = try ReaderAppSurvey.run(
            on: device, try device.information(OperationContext()),
            overlays: [overlay("one", ["a"]), overlay("two", ["b"]), overlay("books", ["com.apple.iBooks"])],
            OperationContext(), willAsk: { heard.append($0) })
        #expect(heard == [["books"], ["one", "books"]])
    }
}
