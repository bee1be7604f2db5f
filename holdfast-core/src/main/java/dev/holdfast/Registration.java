package dev.holdfast;

/** Something that was registered and can be taken back. Closing twice does nothing. */
@FunctionalInterface
public interface Registration extends AutoCloseable {

  /** A registration with nothing to take back. */
  Registration NONE = () -> {};

  @Override
  void close();
}
