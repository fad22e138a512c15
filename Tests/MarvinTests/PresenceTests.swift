import OverlayKitTesting
import MarvinCommands
import Foundation
import OverlayABI
import OverlayKit
import TestSupport
import Testing

@testable import Marvin

@Suite("Marvin is present when it takes commands, and reports what is missing when it does not")
struct PresenceTests {
    let host: MarvinTestHost
    let fingerprint = Fingerprint(vendorID: 0x05AC, serial: "00008020001122334455002E")

    init() throws { host = try MarvinTestHost(TemporaryFolder()) }

    @Test("An online Marvin is present, with its version") func online() throws {
        _ = try FakeMarvin(host)
        #expect(try host.overlay().canHandle(fingerprint) == .yes(appVersion: "2.7.1"))
    }

    @Test("A look costs three requests") func cost() throws {
        _ = try FakeMarvin(host)
        host.resetCounts()
        _ = try host.overlay().canHandle(fingerprint)
        #expect(host.requests == 3)
    }

    @Test(
        "A connection file that is answered in parts is read completely", arguments: [1, 39, 100] as [UInt64])
    func connectionFileInParts(longest: UInt64) throws {
        _ = try FakeMarvin(host)
        host.longestAnswer = longest
        #expect(try host.overlay().canHandle(fingerprint).answer == .yes)
    }

    @Test("An offline Marvin is not present now") func offline() throws {
        _ = try FakeMarvin(host, state: .offline)
        let presence = try host.overlay().canHandle(fingerprint)
        #expect(presence.answer == .notNow)
        #expect(presence.reason == .appOffline)
        #expect(presence.appVersion == "2.7.1")
        #expect(presence.hint?.isEmpty == false)
    }

    @Test("Marvin outside connection mode is not present now") func outsideConnectionMode() throws {
        let presence = try host.overlay().canHandle(fingerprint)
        #expect(presence.answer == .notNow)
        #expect(presence.reason == .notInConnectionMode)
    }

    @Test("With a half-written connection file Marvin is not present now")
    func halfWrittenConnectionFile() throws {
        try Data("<?xml version='1.0'?><connection timestamp='1'><sta".utf8)
            .write(to: host.url("/Library/calibre/connected.xml"))
        let presence = try host.overlay().canHandle(fingerprint)
        #expect(presence.answer == .notNow)
        #expect(presence.hint == "Try again in a moment.")
    }

    @Test("A refused container means no, for the host's reason, and the hint says what Marvin needs")
    func refusedContainer() throws {
        host.roots = [
            RootAccess(root: .container, granted: false, reason: "iOS refuses it.", hint: "No key.")
        ]
        let refused = try host.overlay().canHandle(fingerprint)
        #expect(
            refused == .no(.accessRefused, "iOS refuses it.", hint: "No key. " + MarvinHint.container))
        host.roots = [RootAccess(root: .container, granted: false)]
        #expect(try host.overlay().canHandle(fingerprint).hint == MarvinHint.container)
    }

    @Test("An unplugged device is an error, not an absent Marvin") func unplugged() throws {
        let overlay = try host.overlay()
        host.isGone = true
        let error = try #require(throws: OverlayError.self) { try overlay.canHandle(fingerprint) }
        #expect(error.status == .deviceGone)
    }

    @Test("The device is recognised by its serial, with or without the dash") func serial() throws {
        let overlay = try host.overlay()
        let other = Fingerprint(vendorID: 0x05AC, serial: "other")
        #expect(try overlay.isUSBConnected([other, fingerprint], presenceOnly: true) == 1)
        #expect(try overlay.isUSBConnected([other], presenceOnly: true) == nil)
        #expect(try overlay.isUSBConnected([], presenceOnly: false) == nil)
        #expect(host.requests == 0)
    }

    @Test("An ejected device stays away until it is unplugged") func ejected() throws {
        _ = try FakeMarvin(host)
        let overlay = try host.overlay()
        _ = try overlay.canHandle(fingerprint)
        try overlay.eject()
        #expect(try overlay.canHandle(fingerprint).reason == .ejected)
        #expect(try overlay.isUSBConnected([fingerprint], presenceOnly: true) == nil)
        #expect(try overlay.canHandle(fingerprint).reason == .ejected)
        #expect(try overlay.isUSBConnected([], presenceOnly: true) == nil)
        #expect(try overlay.canHandle(fingerprint).answer == .yes)
    }

    @Test("Cleaning up after a yank forgets the device") func cleaningUp() throws {
        let overlay = try host.overlay()
        _ = try overlay.canHandle(fingerprint)
        try overlay.eject()
        overlay.postYankCleanup()
        #expect(overlay.connected == ConnectedDevice())
    }

    @Test("Exactly the methods of this overlay have slots") func slots() throws {
        let methods = try #require(OverlayExport.entry(for: MarvinOverlay.self).pointee.methods).pointee
        #expect(methods.books != nil && methods.upload_books != nil && methods.delete_books != nil)
        #expect(methods.get_file != nil && methods.prepare_addable_books != nil && methods.eject != nil)
        #expect(methods.add_books_to_metadata != nil && methods.remove_books_from_metadata != nil)
        #expect(
            methods.can_handle != nil && methods.is_usb_connected != nil && methods.post_yank_cleanup != nil)
        #expect(methods.sync_booklists != nil && methods.settings != nil && methods.perform != nil)
        #expect(methods.can_handle_windows == nil && methods.is_usb_connected_windows == nil)
    }

    @Test("The descriptor names Marvin's bundle ids in order") func descriptor() {
        let descriptor = MarvinOverlay.descriptor
        #expect(
            descriptor.appIDs == [
                "com.appstafarian.MarvinIP", "com.appstafarian.MarvinIP-free", "com.appstafarian.Marvin",
            ])
        #expect(descriptor.formats == ["epub"] && descriptor.settableMetadata.count == 15)
        #expect(
            descriptor.options.map(\.key) == [
                "upload_batch_size", "marvin_protect_rb", "marvin_update_rb", "marvin_replace_rb",
                "marvin_merge_collections", "marvin_edit_collections_cb", "cc_mappings", "booklist_caching",
                "device_booklist_caching", "device_booklist_cache_limit", "marvin_staging_folder",
                "marvin_database_path", "marvin_covers_folder",
            ])
    }
}
