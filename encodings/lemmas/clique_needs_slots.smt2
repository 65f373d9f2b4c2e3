; A clique of buffers of w bytes or more needs as many slots of w bytes or more as it has members.
;
; For all slot plans, all w and all cliques: slot is one-to-one on the clique, and each of those slots has room for w.
; So a plan has at least that many such slots, for each threshold w: the levels of a clique certificate.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)
; needs: sharing slots_pairwise lemmas/axioms_layout

(declare-fun member (Buffer) Bool)
(declare-const w Int)
; key
(assert (forall ((a Buffer) (b Buffer)) (=> (and (distinct a b) (co_located (slot a) (slot b))) (may_share a b))))
(assert (forall ((b Buffer)) (=> (member b) (<= w (size b)))))
; key
(assert (forall ((a Buffer) (b Buffer)) (=> (and (member a) (member b) (distinct a b)) (not (may_share a b)))))
; goal
(assert (not (forall ((a Buffer) (b Buffer))
  (=> (and (member a) (member b)) (and (<= w (room (slot a))) (=> (distinct a b) (distinct (slot a) (slot b))))))))
; example: (assert (exists ((a Buffer) (b Buffer)) (and (distinct a b) (member a) (member b) (< 0 w))))
(check-sat)
