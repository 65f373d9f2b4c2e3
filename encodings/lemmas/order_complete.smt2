; The rules of happens-before leave nothing out: where their closure does not order two actions, both orders are possible.
;
; For all programs and all actions x, y, where x is before y in program order: let `late` hold of x and of whatever comes
; after it by the rules, and not of y (so the closure of the rules does not say x hb y). Then there is a schedule in which
; x is over before y begins, and one in which y is over before x begins. Both are written down: each action takes its
; turn; in the second, all that is late is put off until y is over. The host reaches no action behind a late one of its
; own before that is done.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)
; needs: order lemmas/axioms_program

(declare-const x Action)
(declare-const y Action)
(assert (< (at x) (at y)))
(declare-fun late (Action) Bool)
(assert (late x))
(assert (forall ((z Action) (w Action)) (=> (and (late z) (step z w)) (late w))))

; Times, if what is late is put off by `stall`.
(define-fun turn ((z Action)) Int (* 4 (at z)))
(declare-fun reached_late (Action) Bool)
(assert (forall ((z Action))
  (= (reached_late z) (or (and (on_host z) (late z)) (exists ((h Action)) (and (on_host h) (late h) (< (at h) (at z))))))))
(define-fun issued ((z Action) (stall Int)) Int (+ (turn z) (ite (reached_late z) stall 0)))
(define-fun started ((z Action) (stall Int)) Int
  (ite (on_host z) (issued z stall) (+ (turn z) 1 (ite (late z) stall 0))))
(define-fun finished ((z Action) (stall Int)) Int (+ (started z stall) (ite (on_host z) 0 1)))

(define-fun is_schedule ((stall Int)) Bool
  (and
    (forall ((z Action)) (keeps_own z (issued z stall) (started z stall) (finished z stall)))
    (forall ((z Action) (w Action))
      (keeps_order z w (issued z stall) (finished z stall) (issued w stall) (started w stall)))))
(declare-const stall Int)
(assert (= stall (* 4 (+ 1 (- (at y) (at x))))))

; key
(assert (not (late y)))
; goal
(assert (not (and
  (is_schedule 0) (over_before (finished x 0) (started y 0))
  (is_schedule stall) (over_before (finished y stall) (started x stall)))))
; example: (assert (and (not (on_host x)) (on_host y) (exists ((h Action)) (waits h (queue x)))))
(check-sat)
