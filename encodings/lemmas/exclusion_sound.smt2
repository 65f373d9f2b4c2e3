; On one in-order queue, buffers with disjoint lives and without host accesses are ordered.
;
; For all programs with one queue, and all a, b: if the lives of a and b are disjoint in program order and neither is
; host-accessed, then every access of one happens before every access of the other.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)
; needs: order sharing lemmas/axioms_program lemmas/axioms_schedules

(declare-const a Buffer)
(declare-const b Buffer)
(declare-const first_a Int)
(declare-const last_a Int)
(declare-const first_b Int)
(declare-const last_b Int)
(assert (lives a first_a last_a))
(assert (lives b first_b last_b))
; key
(assert one_queue)
; key
(assert (program_order true first_a last_a first_b last_b))
; key
(assert (host_exclusive true (host_accessed a) (device_accessed a) (host_accessed b) (device_accessed b)))
; goal
(assert (not (or (before a b) (before b a))))
; example: (assert (and (device_accessed a) (device_accessed b)))
(check-sat)
