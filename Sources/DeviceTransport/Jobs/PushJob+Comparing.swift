import DeviceWire
import Platform

extension PushJob {
    /// Reads the temporary file back, to compare it with what was sent.
    func beginComparing(on channel: AFCChannel) {
        phase = .comparing
        readDigest = Digest(.sha256)
        reread = 0
        channel.send(
            .fileOpen(path: temporary, mode: AFCOpenMode.read.rawValue), for: self, slot: Slot.reopen)
    }

    func takeReopen(_ answer: AFCAnswer, on channel: AFCChannel) {
        if answer.meansShortage, failure == nil { return holdBack(answer) }
        do throws(TransportError) {
            handle = try answer.handle(subject)
        } catch {
            return fail(error)
        }
        if failure == nil { compare(on: channel) }
    }

    /// Asks for the next piece, or judges when all has come. One piece at a time: this is the careful way, not the fast one.
    func compare(on channel: AFCChannel) {
        guard phase == .comparing, failure == nil, let handle, let content, owed == 0 else { return }
        if reread < content.size {
            let count = min(UInt64(chunk), content.size - reread)
            channel.send(
                .fileRead(handle: handle, length: count), for: self, slot: Slot.reread, expecting: Int(count),
                down: Int(count))
            return
        }
        self.handle = nil
        channel.send(.fileClose(handle: handle), for: nil)
        guard let sent = content.digest?.finish(), let read = readDigest?.finish() else {
            fail(TransportError(.internalFailure, "the contents could not be compared"))
            return cleanUp(on: channel)
        }
        guard sent == read else {
            fail(
                TransportError(
                    .verificationFailed, "the device has different bytes than were sent", hint: "Try again."))
            return cleanUp(on: channel)
        }
        rename(on: channel)
    }

    func takeReread(_ answer: AFCAnswer, on channel: AFCChannel) {
        guard failure == nil else { return }
        do throws(TransportError) {
            let bytes = try answer.data(subject)
            guard !bytes.isEmpty else {
                throw TransportError(.verificationFailed, "the device has fewer bytes than were sent")
            }
            readDigest?.add(bytes)
            reread += UInt64(bytes.count)
        } catch {
            return fail(error)
        }
        compare(on: channel)
    }
}
