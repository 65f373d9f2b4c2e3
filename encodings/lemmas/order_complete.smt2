; The rules of happens-before leave nothing out: where they do not order two actions, both orders are possible.
;
; For all programs and all actions x, y, where x is before y in program order: if the rules do not say x hb y, then
; there is a schedule in which x is over before y begins, and one in which y is over before x begins. Both are written
; down: each action takes its turn; in the second, the queue of x stalls at x until y is over, and with it all that is
; behind y.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)
; needs: order lemmas/axioms_program

(declare-const x Action)
(declare-const y Action)
(assert (< (at x) (at y)))

; Times, if the queue of x stalls for `stall`.
(define-fun turn ((z Action)) Int (* 4 (at z)))
(define-fun on_queue_of_x ((z Action)) Bool (and (not (on_host z)) (= (queue z) (queue x))))
(define-fun behind_y ((z Action)) Bool
  (or (< (at y) (at z)) (and (= (at z) (at y)) (on_host z) (waits z (queue x)))))
(define-fun issued ((z Action) (stall Int)) Int (+ (turn z) (ite (behind_y z) stall 0)))
(define-fun started ((z Action) (stall Int)) Int
  (ite (on_host z) (issued z stall)
    (+ (turn z) 1 (ite (or (behind_y z) (and (on_queue_of_x z) (<= (at x) (at z)))) stall 0))))
(define-fun finished ((z Action) (stall Int)) Int (+ (started z stall) (ite (on_host z) 0 1)))

(define-fun is_schedule ((stall Int)) Bool
  (and
    (forall ((z Action)) (keeps_own z (issued z stall) (started z stall) (finished z stall)))
    (forall ((z Action) (w Action))
      (keeps_order z w (issued z stall) (finished z stall) (issued w stall) (started w stall)))))
(declare-const stall Int)
(assert (= stall (* 4 (+ 1 (- (at y) (at x))))))

; key
(assert (not (ordered x y)))
; goal
(assert (not (and
  (is_schedule 0) (over_before (finished x 0) (started y 0))
  (is_schedule stall) (over_before (finished y stall) (started x stall)))))
; example: (assert (and (not (on_host x)) (on_host y) (exists ((h Action)) (waits h (queue x)))))
(check-sat)
