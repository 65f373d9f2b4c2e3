; The rules of happens-before hold in every schedule.
;
; For all programs and all actions x, y: if x is before y in program order and x is on the host, or both are on one
; queue, or y is or comes after a host action that waits for the queue of x, then x is over before y begins, in every
; schedule.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)
; needs: order lemmas/axioms_program lemmas/axioms_schedules

(declare-const x Action)
(declare-const y Action)
; key
(assert (ordered x y))
; goal
(assert (not (hb x y)))
; example: (assert (and (not (on_host x)) (not (on_host y)) (not (= (queue x) (queue y)))))
(check-sat)
