import DeviceTransport
import Dispatch
import JSON
import OverlayHost
import Platform

/// Tells a client about devices that come and go, and about their reader apps. Any thread.
final class ServedWatch: Sendable {
    private let request: PendingRequest
    private let writer: LineWriter
    private let cancellation = Cancellation()

    /// What the request asks for.
    init(_ request: PendingRequest, _ writer: LineWriter) {
        self.request = request
        self.writer = writer
    }

    /// Begins on its own thread, and answers the request when each attached device has been looked at once.
    func start(_ wanted: SessionRequest) {
        var wanted = wanted
        wanted.cancellation = cancellation
        wanted.progress = nil
        wanted.notice = nil
        wanted.reported = nil
        let registration = request.cancellation.whenCancelled { [cancellation] in cancellation.cancel() }
        let hasThread = SystemThread.detached { [self, wanted] in
            run(wanted)
            withExtendedLifetime(registration) {}
        }
        if !hasThread {
            request.answer { () throws(HostError) in
                throw HostError(.hostIO, "The system has no thread left to watch devices.")
            }
        }
    }

    /// Ends it.
    func stop() { cancellation.cancel() }

    private func run(_ wanted: SessionRequest) {
        do throws(HostError) {
            // Listen before making the list, so that no device of the list is missed.
            let watch = DeviceWatch(wanted)
            let attached = try attached(wanted)
            // Each of them is looked at before the answer.
            var open = Set(attached)
            if open.isEmpty { answer(attached) }
            while let event = try watch.next() {
                var document = DeviceDocument.json(event).object ?? JSONObject()
                document["request"] = request.id
                writer.notify("device", .object(document))
                open.remove(event.udid)
                if open.isEmpty, !watch.hasNews { answer(attached) }
            }
            // It was ended, by its own cancel or by another request, before it could be answered.
            request.answerCancelled()
        } catch {
            request.answer { () throws(HostError) in throw error }
        }
    }

    /// The devices that are meant.
    private func attached(_ wanted: SessionRequest) throws(HostError) -> [String] {
        let all = try DeviceSurvey.attached(loggers: wanted.loggers, cancellation: cancellation)
        guard wanted.device != nil, !all.isEmpty else { return all }
        return try DeviceChoice(wanted.device).resolve(loggers: wanted.loggers, cancellation: cancellation)
            .compactMap(\.udid)
    }

    private func answer(_ udids: [String]) {
        request.answer { () throws(HostError) in .document(["devices": .texts(udids)]) }
    }
}
