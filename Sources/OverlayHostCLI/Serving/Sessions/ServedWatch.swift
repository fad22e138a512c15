import DeviceTransport
import Dispatch
import JSON
import OverlayHost
import Platform

/// Notifies a client of devices that are attached or detached, and of their reader apps. Any thread.
final class ServedWatch: Sendable {
    private let request: PendingRequest
    private let writer: LineWriter
    private let cancellation = Cancellation()

    /// Creates a watch with the parameters of the request.
    init(_ request: PendingRequest, _ writer: LineWriter) {
        self.request = request
        self.writer = writer
    }

    /// Starts on its own thread, and answers the request when each attached device has been examined once.
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

    /// Ends the watch.
    func stop() { cancellation.cancel() }

    private func run(_ wanted: SessionRequest) {
        do throws(HostError) {
            // Listening starts before the list is made, so that no device is missed.
            let watch = DeviceWatch(wanted)
            let attached = try attached(wanted)
            // Each attached device is examined before the answer.
            var open = Set(attached)
            if open.isEmpty { answer(attached) }
            while let event = try watch.next() {
                var document = DeviceDocument.json(event).object ?? JSONObject()
                document["request"] = request.id
                writer.notify("device", .object(document))
                open.remove(event.udid)
                if open.isEmpty, !watch.hasNews { answer(attached) }
            }
            // The watch was ended, by its own cancel or by another request, before it was answered.
            request.answerCancelled()
        } catch {
            request.answer { () throws(HostError) in throw error }
        }
    }

    /// The selected devices that are attached.
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
