; With any number of queues, an event between two lives orders them.
;
; For all programs and all a, b: if every access of a is made by the queue p up to an action that records an event, and
; every access of b by the queue r from an action on that awaits it, then before(a, b). With it, exclusion is enough
; on two queues; without it, exclusion_two_queues.smt2 has the race.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)
; needs: order sharing lemmas/axioms_program lemmas/axioms_schedules

(declare-const a Buffer)
(declare-const b Buffer)
(declare-const record Action)
(declare-const await Action)
(define-fun up_to ((x Action) (y Action)) Bool (or (= x y) (and (same_engine x y) (< (at x) (at y)))))
; key
(assert (forall ((x Action)) (=> (touches x a) (up_to x record))))
; key
(assert (forall ((y Action)) (=> (touches y b) (up_to await y))))
(assert (< (at record) (at await)))
; key
(assert (signals record await))
; goal
(assert (not (before a b)))
; example: (assert (and (accessed a) (accessed b) (not (same_engine record await)) (not (on_host await))))
(check-sat)
