; Events and the order between them.
;
; An action of the host is one event, at a time of its own. An action of a device queue is three: it is issued by the
; host, starts, and finishes. Times are Int; only their order matters, they have no unit. A schedule is any choice of
; times that keeps the axioms below. `encode.schedule_axioms` instantiates them for a program.
;
;       host    issue D . . store               the store may land before D has started
;       queue             [---- D ----]

; The host reaches its own actions, and issues those of the device, in program order.
;   first, second: times at which the host does, or issues, an action and a later one
(define-fun host_program_order ((first Int) (second Int)) Bool (< first second))

; A device action starts after it was issued.
(define-fun issued_before_start ((issued Int) (started Int)) Bool (< issued started))

; A device action finishes after it started; its reads and writes happen between the two.
(define-fun takes_time ((started Int) (finished Int)) Bool (< started finished))

; A queue runs its actions one after the other, in the order in which they were issued.
;   finished_first: when the earlier action finished; started_second: when the later one starts
(define-fun in_order_queue ((finished_first Int) (started_second Int)) Bool (< finished_first started_second))

; A host action that waits for a queue happens after everything that was issued to the queue before it has finished.
(define-fun host_waits ((finished Int) (host Int)) Bool (< finished host))

; An engine that awaits an event starts the action behind it only when the recorded action has finished: the latest one
; that records the event before the await, in program order. A host action finishes and starts when the host does it.
(define-fun event_awaited ((finished_recorder Int) (started_awaiter Int)) Bool (< finished_recorder started_awaiter))

; In this schedule, is action a over before action b begins? For an action of the host both times are its own.
; Happens-before is this in every schedule: the axioms together with its negation have no solution.
(define-fun over_before ((finished_a Int) (started_b Int)) Bool (< finished_a started_b))
