; When may two buffers be together in one slot?
;
; Each definition has the form `together => condition` and stands for itself: leave it out, and plans that break it appear.
; Its arguments are facts of the two buffers a and b, which the text states as constants:
;
;   first_b, last_b    Int    ordinals (places in host program order) of the first and last access, both included;
;                             -1 and -1 without any; the last of a returned buffer is one past the last ordinal
;   host_b, device_b   Bool   some action of the host, or of a device queue, accesses it
;   pinned_b           Bool   it must stay in memory of its own
;   size_b             Int    bytes; 1 for a size known only at run time
;   key_b              Int    0 if the size is known, else the same number for the same type and size operands, and one
;                             number for all sizes that are polynomials over dimensions
;   a_holds_b          Bool   the size of b is proven to be no larger than that of a for all values of the dimensions,
;                             and the size of a is known where the earlier of the two is allocated
;   space_b, type_b    Int    numbers for the memory space and the element type
;   done_b_e           Int    the last ordinal at which engine e accesses b; -1 if never; for a returned buffer two past
;                             the last ordinal, since its reader comes after the end
;   seen_b_e           Int    the largest ordinal such that every action of engine e up to it has finished before any
;                             access of b, in every schedule (order.smt2); for a returned buffer without accesses,
;                             before the host leaves the function; -1 if there is no such ordinal

; What a compiler pass assumes: lives disjoint as intervals of program order, whichever engine runs what. Unsound alone.
(define-fun program_order ((together Bool) (first_a Int) (last_a Int) (first_b Int) (last_b Int)) Bool
  (=> together (or (< last_a first_b) (< last_b first_a) (and (< last_a 0) (< last_b 0)))))

; A host access is not ordered behind device actions that are still queued. So a host-accessed buffer ...
; ... is together with nothing that the device accesses,
(define-fun apart_from_device ((host_a Bool) (device_a Bool) (host_b Bool) (device_b Bool)) Bool
  (not (or (and host_a device_b) (and device_a host_b))))

; ... nor with anything at all.
(define-fun apart_from_all ((host_a Bool) (host_b Bool)) Bool
  (not (or host_a host_b)))

; The guarantee of the policy `host-exclusive`.
(define-fun host_exclusive ((together Bool) (host_a Bool) (device_a Bool) (host_b Bool) (device_b Bool)) Bool
  (=> together (and (apart_from_device host_a device_a host_b device_b) (apart_from_all host_a host_b))))

; Every access that engine e makes to the first buffer is over before any access to the second.
;   done: done_a_e of the first; seen: seen_b_e of the second
(define-fun over_on ((done Int) (seen Int)) Bool (<= done seen))

; The rule that is sound for any number of queues: all accesses of one are over before any of the other.
;   a_then_b, b_then_a: `over_on` for all engines
(define-fun happens_before ((together Bool) (a_then_b Bool) (b_then_a Bool)) Bool
  (=> together (or a_then_b b_then_a)))

; A buffer that must not move has its memory for itself.
(define-fun unpinned ((together Bool) (pinned_a Bool) (pinned_b Bool)) Bool
  (=> together (not (or pinned_a pinned_b))))

; Memory spaces do not mix.
(define-fun same_space ((together Bool) (space_a Int) (space_b Int)) Bool
  (=> together (= space_a space_b)))

; The type rule `strict`: one element type per slot.
(define-fun same_type ((together Bool) (type_a Int) (type_b Int)) Bool
  (=> together (= type_a type_b)))

; A size known only at run time shares with the very same size only.
(define-fun same_key ((together Bool) (key_a Int) (key_b Int)) Bool
  (=> together (= key_a key_b)))

; Of two sizes that depend on dimensions, one must be enough for both for all values.
(define-fun one_holds_both ((together Bool) (a_holds_b Bool) (b_holds_a Bool)) Bool
  (=> together (or a_holds_b b_holds_a)))

; A buffer is no larger than the slot it lives in (bytes).
(define-fun fits ((inside Bool) (size Int) (room Int)) Bool
  (=> inside (<= size room)))
