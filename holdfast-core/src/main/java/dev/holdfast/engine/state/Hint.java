package dev.holdfast.engine.state;

/** What is known besides the answers. A greater one includes the lesser. */
enum Hint {
  NONE,
  /** Another claim of this client has made room. */
  ROOM,
  /** The store says that something has changed. */
  STORE
}
